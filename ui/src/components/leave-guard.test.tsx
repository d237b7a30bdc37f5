import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { createMemoryRouter, Link, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import { useLeaveGuard } from "./leave-guard";

const discarded = vi.fn();

function Form({ dirty }: { dirty: boolean }) {
  const { dialog, allow, discard } = useLeaveGuard(dirty, discarded);
  const [isCancelled, setCancelled] = useState(false);
  return (
    <>
      <button type="button" onClick={() => discard(() => setCancelled(true))}>
        {isCancelled ? "Cancelled" : "Undo all"}
      </button>
      <Link to="/other">{"Leave"}</Link>
      <button type="button" onClick={allow}>
        {"Allow"}
      </button>
      {dialog}
    </>
  );
}

function show(dirty: boolean) {
  const router = createMemoryRouter([
    { path: "/", element: <Form dirty={dirty} /> },
    { path: "/other", element: <p>{"Other"}</p> },
  ]);
  render(<RouterProvider router={router} />);
}

test("asks before leaving unsaved changes: Cancel stays, Discard leaves", async () => {
  show(true);
  await userEvent.click(screen.getByText("Leave"));
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(screen.queryByText("Other")).toBeNull();
  await userEvent.click(screen.getByText("Leave"));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Other")).toBeVisible();
  expect(discarded).toHaveBeenCalledOnce();
});

test("asks before changes are discarded without leaving", async () => {
  show(true);
  await userEvent.click(screen.getByText("Undo all"));
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  await userEvent.click(await screen.findByText("Undo all"));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Cancelled")).toBeVisible();
});

test("does not ask without unsaved changes", async () => {
  show(false);
  await userEvent.click(screen.getByText("Undo all"));
  expect(await screen.findByText("Cancelled")).toBeVisible();
  await userEvent.click(screen.getByText("Leave"));
  expect(await screen.findByText("Other")).toBeVisible();
});

test("does not ask once leaving was allowed", async () => {
  show(true);
  await userEvent.click(screen.getByText("Allow"));
  await userEvent.click(screen.getByText("Leave"));
  expect(await screen.findByText("Other")).toBeVisible();
});
