import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, Link, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import { useLeaveGuard } from "./leave-guard";

const discarded = vi.fn();

function Form({ dirty }: { dirty: boolean }) {
  const { dialog, allow } = useLeaveGuard(dirty, discarded);
  return (
    <>
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

test("unsaved work is asked about; one may stay", async () => {
  show(true);
  await userEvent.click(screen.getByText("Leave"));
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(screen.queryByText("Other")).toBeNull();
  await userEvent.click(screen.getByText("Leave"));
  await userEvent.click(await screen.findByRole("button", { name: "Discard" }));
  expect(await screen.findByText("Other")).toBeVisible();
  expect(discarded).toHaveBeenCalledOnce();
});

test("nobody is asked when nothing is lost, or after saving", async () => {
  show(false);
  await userEvent.click(screen.getByText("Leave"));
  expect(await screen.findByText("Other")).toBeVisible();
});

test("after saving the way is free", async () => {
  show(true);
  await userEvent.click(screen.getByText("Allow"));
  await userEvent.click(screen.getByText("Leave"));
  expect(await screen.findByText("Other")).toBeVisible();
});
