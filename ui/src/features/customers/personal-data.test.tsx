import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Customer } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { CustomerDrawer } from "./customer-drawer";
import { CustomerMenu } from "./customer-menu";

const server = standInServer();
const customer: Customer = {
  id: "c1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  name: "Ana López",
  status: "lead",
  tags: [],
  details: { emails: [], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};

const show = (permissions: string[]) => {
  accept({ ...signedIn(), user: { ...mira, permissions: permissions as (typeof mira)["permissions"] } });
  return renderApp(
    <Routes>
      <Route path="customers/:id" element={<CustomerDrawer />} />
      <Route path="*" element={<p>The list</p>} />
    </Routes>,
    { path: "/customers/c1" },
  );
};
const open = async (item: string) => {
  await userEvent.click(await screen.findByRole("button", { name: "More actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: item }));
};

beforeEach(() => {
  sessionStorage.clear();
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/fields", () => ({ items: [], total: 0 }));
  server.on("GET /api/tasks", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers/c1", () => customer);
  for (const part of ["files", "timeline"]) server.on(`GET /api/customers/c1/${part}`, () => ({ items: [], total: 0 }));
});

test("a person is erased by keyboard once the name is typed", async () => {
  server.on("POST /api/customers/c1/erasure", () => new Answer(204));
  show(["audit.read", "bin.empty"]);
  await open("Delete for good…");
  const dialog = await screen.findByRole("dialog", { name: "Delete all data of Ana López?" });
  expect(within(dialog).getByText(/until they are deleted/)).toBeVisible();
  const confirm = within(dialog).getByRole("button", { name: "Delete for good" });
  const name = within(dialog).getByRole("textbox", { name: "Type “Ana López” to confirm" });
  name.focus();
  await userEvent.keyboard("Ana{Enter}");
  expect(confirm).toBeDisabled();
  expect(server.sent("POST /api/customers/c1/erasure")).toEqual([]);
  await userEvent.keyboard("  lopez{Enter}");
  expect(await screen.findByText("The list")).toBeVisible();
  expect(server.sent("POST /api/customers/c1/erasure").map(({ body }) => body)).toEqual([{ name: "Ana López" }]);
});

test("a refusal stays in the dialog, and cancelling sends nothing", async () => {
  server.on(
    "POST /api/customers/c1/erasure",
    () => new Answer(422, { error: { code: "invalid", message: "Some fields aren’t valid.", fields: { name: "Not the name." } } }),
  );
  show(["audit.read", "bin.empty"]);
  await open("Delete for good…");
  const dialog = await screen.findByRole("dialog", { name: "Delete all data of Ana López?" });
  await userEvent.type(within(dialog).getByRole("textbox"), "Ana López{Enter}");
  expect(await within(dialog).findByRole("alert")).toBeVisible();
  await userEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Delete all data of Ana López?" })).toBeNull());
  expect(server.sent("POST /api/customers/c1/erasure")).toHaveLength(1);
});

test("everything is exported to a file", async () => {
  server.on("GET /api/customers/c1/personal-data", () => new Answer(200, "{}"));
  show(["audit.read"]);
  await open("Export everything");
  await waitFor(() => expect(server.sent("GET /api/customers/c1/personal-data")).toHaveLength(1));
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  expect(screen.queryByRole("menuitem", { name: "Delete for good…" })).toBeNull();
});

test("members without the rights only merge, and viewers have no menu", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.write", "customers.delete"] } });
  const { unmount } = renderApp(<CustomerMenu record={customer} onGone={() => undefined} />);
  await userEvent.click(screen.getByRole("button", { name: "More actions" }));
  expect(screen.getAllByRole("menuitem").map((item) => item.textContent)).toEqual(["Merge with…"]);
  unmount();
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.read"] } });
  renderApp(<CustomerMenu record={customer} onGone={() => undefined} />);
  expect(screen.queryByRole("button")).toBeNull();
});
