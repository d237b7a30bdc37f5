import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test, vi } from "vitest";
import { TagInput } from "./tag-input";

function Field({ first = [] as string[] }) {
  const [tags, setTags] = useState(first);
  return (
    <>
      <TagInput label="Tags" value={tags} onChange={setTags} suggestions={["wholesale", "Éxito"]} />
      <output>{tags.join("|")}</output>
    </>
  );
}

test("Enter and commas add tags, Backspace removes the last, and duplicates are ignored", async () => {
  render(<Field />);
  await userEvent.type(screen.getByLabelText("Tags"), "retail{Enter}EU,eu{Enter}");
  expect(screen.getByRole("status")).toHaveTextContent("retail|EU");
  await userEvent.type(screen.getByLabelText("Tags"), "{Backspace}");
  expect(screen.getByRole("status")).toHaveTextContent("retail");
});

test("suggests tags that are not chosen yet, ignoring accents", async () => {
  render(<Field first={["wholesale"]} />);
  await userEvent.type(screen.getByLabelText("Tags"), "exi");
  expect(screen.queryByText("wholesale", { selector: "button" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "Add tag Éxito" }));
  expect(screen.getByRole("status")).toHaveTextContent("wholesale|Éxito");
});

test("a button below stays in place until the press on it is over", async () => {
  render(<Field />);
  const user = userEvent.setup();
  await user.type(screen.getByLabelText("Tags"), "retail");
  await user.clear(screen.getByLabelText("Tags"));
  await user.pointer({ keys: "[MouseLeft>]", target: document.body });
  expect(screen.getByRole("button", { name: "Add tag wholesale" })).toBeVisible();
  await user.pointer({ keys: "[/MouseLeft]", target: document.body });
  await waitFor(() => expect(screen.queryByRole("button", { name: "Add tag wholesale" })).toBeNull());
});

test("Escape hides the suggestions, then empties the text, and only then leaves the field; tags stay", async () => {
  const leave = vi.fn();
  render(
    // biome-ignore lint/a11y/noStaticElementInteractions: what is around a field
    <div onKeyDown={({ key }) => key === "Escape" && leave()}>
      <Field />
    </div>,
  );
  const input = screen.getByLabelText("Tags");
  await userEvent.type(input, "retail{Enter}who");
  expect(screen.getByRole("button", { name: "Add tag wholesale" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("button", { name: "Add tag wholesale" })).toBeNull();
  expect(input).toHaveValue("who");
  await userEvent.keyboard("l");
  expect(screen.getByRole("button", { name: "Add tag wholesale" })).toBeVisible();
  await userEvent.keyboard("{Escape}{Escape}");
  expect(input).toHaveValue("");
  expect(leave).not.toHaveBeenCalled();
  // Without suggestions for the text, no others come when it is emptied.
  await userEvent.keyboard("zz{Escape}");
  expect(screen.queryByRole("button", { name: "Add tag wholesale" })).toBeNull();
  expect(leave).not.toHaveBeenCalled();
  await userEvent.keyboard("{Escape}");
  expect(leave).toHaveBeenCalledOnce();
  expect(screen.getByRole("status")).toHaveTextContent("retail");
});
