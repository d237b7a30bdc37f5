import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import type { CustomerStatuses, CustomerStatusesPatch } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { statuses } from "@/test/statuses";
import { StatusesCard } from "./company/statuses-form";

const server = standInServer();
const path = "/api/customers/statuses";
const onDirty = () => undefined;
const sent = () => server.sent(`PATCH ${path}`).map(({ body }) => body as CustomerStatusesPatch);
const save = () => userEvent.click(screen.getByRole("button", { name: "Save changes" }));

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["settings.company", "customers.read"] } });
  server.on(`PATCH ${path}`, () => ({ ...statuses, version: 2 }));
});

it("names, colors, orders, adds and removes statuses, and sends them with the version that was read", async () => {
  renderApp(<StatusesCard onDirty={onDirty} />);
  const name = await screen.findByRole("textbox", { name: "Name of status 1" });
  await userEvent.clear(name);
  await userEvent.type(name, "Prospect");
  await userEvent.click(screen.getByRole("button", { name: "Color of Prospect: Blue" }));
  await userEvent.click(await screen.findByRole("radio", { name: "Teal" }));
  expect(await screen.findByRole("button", { name: "Color of Prospect: Teal" })).toBeVisible();
  screen.getByRole("button", { name: "Move Active" }).focus();
  await userEvent.keyboard("{ArrowUp}");
  await userEvent.click(screen.getByRole("button", { name: "Remove Inactive" }));
  await userEvent.click(screen.getByRole("button", { name: "Add status" }));
  await userEvent.type(screen.getByRole("textbox", { name: "Name of status 3" }), "active");
  await save();
  expect((await screen.findAllByText("This name is already in use."))[0]).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: "Name of status 3" }), " partner");
  await save();
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]).toEqual({
    statuses: [
      { id: "active", name: "Active", color: "green" },
      { id: "lead", name: "Prospect", color: "teal" },
      { name: "active partner", color: "gray" },
    ],
  });
  expect(server.sent(`PATCH ${path}`)[0]?.headers.get("If-Match")).toBe('"1"');
});

it("asks which status the customers of a removed one get, and shows how many are left", async () => {
  const inUse = { code: "invalid", message: "No", fields: { moves: "A status you removed has customers." } };
  let register: CustomerStatuses = statuses;
  server.on(`GET ${path}`, () => register);
  server.on(`PATCH ${path}`, ({ body }) => {
    if (!(body as CustomerStatusesPatch).moves) return new Answer(422, { error: inUse });
    const [lead, ...kept] = statuses.statuses;
    register = {
      version: 2,
      statuses: [...kept, { id: "lead", name: "Lead", color: "blue", ...lead, customers: 3, replacedBy: "inactive" }],
    };
    return register;
  });
  renderApp(<StatusesCard onDirty={onDirty} />);
  await userEvent.click(await screen.findByRole("button", { name: "Remove Lead" }));
  await save();
  const dialog = within(await screen.findByRole("dialog", { name: "Which status do the customers get?" }));
  await userEvent.click(dialog.getByRole("button", { name: /Customers with “Lead” get/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Inactive" }));
  await userEvent.click(dialog.getByRole("button", { name: "Change and save" }));
  expect(await screen.findByText("“Lead” was removed. 3 customers still have to get “Inactive”.")).toBeVisible();
  expect(sent()[1]).toMatchObject({ moves: [{ from: "lead", to: "inactive" }], statuses: [{ id: "active" }, { id: "inactive" }] });
  // It cannot be edited any more, and the note goes when no customer has it.
  expect(screen.getAllByRole("textbox", { name: /^Name of status/ })).toHaveLength(2);
  register = { version: 3, statuses: statuses.statuses.slice(1) };
  await waitFor(() => expect(screen.queryByText(/was removed/)).toBeNull(), { timeout: 10_000 });
});

it("sets after how many months people are deleted, and counts whom it concerns while one types", async () => {
  server.on("GET /api/customers/retention", ({ query }) => ({ people: 12, hasMore: query.get("months") === "1" }));
  server.on(`GET ${path}`, () => ({
    ...statuses,
    statuses: statuses.statuses.map((status) => (status.id === "inactive" ? { ...status, retentionMonths: 36 } : status)),
  }));
  renderApp(<StatusesCard onDirty={onDirty} />);
  const field = await screen.findByRole("textbox", {
    name: "Delete customers with “Active” after this many months without contact or change",
  });
  const kept = screen.getByRole("textbox", { name: /^Delete customers with “Inactive”/ });
  expect([field, kept].map((one) => (one as HTMLInputElement).value)).toEqual(["", "36"]);
  await userEvent.type(field, "1");
  expect(await screen.findByText("Applies to at least 12 people today.")).toBeVisible();
  await userEvent.type(field, "8");
  await waitFor(() => expect(screen.getAllByText("Applies to 12 people today.")).toHaveLength(2));
  expect(server.sent("GET /api/customers/retention").map(({ query }) => [query.get("status"), query.get("months")])).toEqual([
    ["inactive", "36"],
    ["active", "1"],
    ["active", "18"],
  ]);
  // What is not accepted is not counted.
  await userEvent.clear(kept);
  await userEvent.type(kept, "241");
  await save();
  expect(await screen.findByText("Enter a number from 1 to 240, or nothing.")).toBeVisible();
  expect(kept).toHaveAccessibleDescription("Enter a number from 1 to 240, or nothing.");
  await userEvent.clear(kept);
  await save();
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(sent()[0]?.statuses).toEqual([
    { id: "lead", name: "Lead", color: "blue" },
    { id: "active", name: "Active", color: "green", retentionMonths: 18 },
    { id: "inactive", name: "Inactive", color: "gray" },
  ]);
});
