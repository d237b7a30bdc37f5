import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { CustomField } from "@/api/schema";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { FieldsSection } from "./fields-section";

const server = standInServer();
const at = "2026-11-01T10:00:00Z";
const size: CustomField = {
  id: "f1",
  version: 1,
  createdAt: at,
  updatedAt: at,
  kind: "customers",
  key: "size",
  name: "Size",
  type: "choice",
  choices: [{ key: "s", name: "Small" }],
};
const end: CustomField = { ...size, id: "f2", key: "end", name: "Contract end", type: "date", choices: [] };

let fields: CustomField[];

beforeEach(() => {
  fields = [size, end];
  server.on("GET /api/fields", ({ query }) => ({
    items: fields.filter(({ removedAt }) => (removedAt !== undefined) === (query.get("removed") === "true")),
  }));
});

test("defines a field with choices, and shows what is wrong at its place", async () => {
  fields = [];
  let refused = true;
  server.on("POST /api/fields", () => {
    const error = { code: "invalid", message: "Check the fields.", fields: { "choices.1.name": "Already in use." } };
    if (refused) return new Answer(422, { error });
    fields = [size];
    return size;
  });
  renderApp(<FieldsSection />);
  await userEvent.click(await screen.findByRole("button", { name: "Add field" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: /^Name/ }), "Size");
  await userEvent.click(dialog.getByRole("button", { name: /Type/ }));
  await userEvent.click(await screen.findByRole("option", { name: "One choice" }));
  await userEvent.type(dialog.getByRole("textbox", { name: "Choice 1" }), "Small");
  await userEvent.click(dialog.getByRole("button", { name: "Add choice" }));
  await userEvent.type(dialog.getByRole("textbox", { name: "Choice 2" }), "small");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await dialog.findByText("Already in use.")).toBeVisible();
  refused = false;
  await userEvent.type(dialog.getByRole("textbox", { name: "Choice 2" }), "er");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Size")).toBeVisible();
  const sent = server.sent("POST /api/fields").map(({ body }) => body);
  expect(sent[1]).toEqual({ kind: "customers", name: "Size", type: "choice", choices: [{ name: "Small" }, { name: "smaller" }] });
});

test("moves, deletes and restores fields", async () => {
  server.on("PATCH /api/fields/f2", () => end);
  server.on("DELETE /api/fields/f1", () => {
    fields = [{ ...size, removedAt: at }, end];
    return new Answer(204);
  });
  server.on("POST /api/fields/f1/restore", () => {
    fields = [end, size];
    return size;
  });
  renderApp(<FieldsSection />);
  expect(await screen.findByRole("button", { name: "Move “Size” up" })).toBeDisabled();
  await userEvent.click(screen.getByRole("button", { name: "Move “Contract end” up" }));
  await waitFor(() => expect(server.sent("PATCH /api/fields/f2").map(({ body }) => body)).toEqual([{ place: 0 }]));
  await userEvent.click(screen.getByRole("button", { name: "Delete “Size”" }));
  expect(await screen.findByText("Deleted fields")).toBeVisible();
  await userEvent.click(screen.getByRole("button", { name: "Restore" }));
  expect(await screen.findByRole("button", { name: "Delete “Size”" })).toBeVisible();
  expect(screen.queryByText("Deleted fields")).toBeNull();
});

// The kind of fault: two administrators edit the same field, and the choices of the second replace those that the first added.
test("a field that a colleague changed is not overwritten, and what was typed stays", async () => {
  server.on("PATCH /api/fields/f1", ({ headers }) =>
    headers.get("If-Match") === '"1"' ? new Answer(412, { error: { code: "stale_version", message: "This was changed." } }) : size,
  );
  renderApp(<FieldsSection />);
  await userEvent.click(await screen.findByRole("button", { name: "Edit “Size”" }));
  const dialog = within(await screen.findByRole("dialog"));
  await userEvent.type(dialog.getByRole("textbox", { name: "Choice 1" }), "er");
  await userEvent.click(dialog.getByRole("button", { name: "Save" }));
  expect(await dialog.findByText("This was changed.")).toBeVisible();
  expect(dialog.getByRole("textbox", { name: "Choice 1" })).toHaveValue("Smaller");
});
