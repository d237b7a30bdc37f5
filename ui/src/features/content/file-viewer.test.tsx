import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import type { AttachedFile } from "@/api/schema";
import { renderApp } from "@/test/render";
import { Attached } from "./attached";
import { FileViewer } from "./file-viewer";

const picture = (name: string): AttachedFile => ({ path: `/media/${name}`, name, mediaType: "image/png", size: 100 });

/** A message whose row is replaced, as when it was sent. */
function Messages() {
  const [isSent, setSent] = useState(false);
  return (
    <FileViewer>
      <Attached key={String(isSent)} attachments={[picture("gate.png"), picture("yard.png")]} isMine />
      <button type="button" onClick={() => setSent(true)}>
        {"Sent"}
      </button>
    </FileViewer>
  );
}

test("a file stays open when the row of its message is replaced", async () => {
  renderApp(<Messages />);
  await userEvent.click(screen.getByRole("button", { name: "Open yard.png" }));
  await screen.findByRole("dialog", { name: "yard.png" });
  // The dialog hides the rest of the page from screen readers.
  screen.getByRole("button", { name: "Sent", hidden: true }).click();
  await userEvent.keyboard("{ArrowRight}");
  expect(await screen.findByRole("dialog", { name: "gate.png" })).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
