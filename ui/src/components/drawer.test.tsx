import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { Link } from "react-router";
import { expect, it, vi } from "vitest";
import { renderApp } from "@/test/render";
import { Drawer } from "./drawer";

function List() {
  const [open, setOpen] = useState(false);
  const [drawn, setDrawn] = useState(0);
  return (
    <>
      <Link key={drawn} to="/customers/1" onClick={() => setOpen(true)}>
        {"Ana"}
      </Link>
      {open && (
        <Drawer label="Customer" isOpen onOpenChange={setOpen}>
          <button
            type="button"
            onClick={() => {
              // The list behind is read again, and its rows are new elements.
              setDrawn(1);
              setOpen(false);
            }}
          >
            {"Close"}
          </button>
        </Drawer>
      )}
    </>
  );
}

it("returns the focus to the link that opened it, even if the link was rendered again", async () => {
  renderApp(<List />);
  const link = screen.getByRole("link", { name: "Ana" });
  link.focus();
  fireEvent.click(link);
  fireEvent.click(await screen.findByRole("button", { name: "Close" }));
  await waitFor(() => expect(screen.getByRole("link", { name: "Ana" })).toHaveFocus());
  expect(link.isConnected).toBe(false);
});

it("is not closed by a second press on the button that opened it, but by a later one outside", async () => {
  // A busy machine may need longer for the second press than a person.
  let endOpening = () => {};
  const inTime = globalThis.setTimeout;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, after?: number) => {
    if (after !== 300) return inTime(run, after);
    endOpening = run;
    return 0;
  }) as typeof setTimeout);
  renderApp(<List />);
  fireEvent.click(screen.getByRole("link", { name: "Ana" }));
  await screen.findByRole("dialog");
  const backdrop = document.querySelector<HTMLElement>("[class*='bg-black']") as HTMLElement;
  await userEvent.click(backdrop);
  expect(screen.getByRole("dialog")).toBeVisible();
  act(() => endOpening());
  await userEvent.click(backdrop);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});
