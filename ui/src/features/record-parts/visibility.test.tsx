import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Visibility } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { VisibilityButton, type VisibilityButtonProps } from "./visibility";

const server = standInServer();
const member = (id: string, name: string, state = "active") => ({ id, name, email: `${id}@northwind.example`, role: "member", state });
const company: Visibility = { to: "company", people: [] };

beforeEach(() => {
  accept(signedIn());
  const items = [member("u1", mira.name), member("u2", "Luis Rey"), member("u3", "Ada Byron"), member("u4", "Gone Away", "suspended")];
  server.on("GET /api/team", () => ({ items, total: items.length }));
});

function show(change: Partial<VisibilityButtonProps> = {}) {
  const onSave = vi.fn(() => Promise.resolve());
  renderApp(<VisibilityButton value={company} author="u1" mayChange notes={[]} onSave={onSave} {...change} />);
  return onSave;
}

test("names who can see the record", async () => {
  show({ value: { to: "people", people: ["u2", "u3"] } });
  expect(await screen.findByRole("button", { name: "Who can see it: 3 people and administrators" })).toBeVisible();
});

test("names the author of another member's record", async () => {
  show({ value: { to: "me", people: [] }, author: "u2", mayChange: false });
  expect(await screen.findByText("Luis Rey and administrators")).toBeVisible();
  expect(screen.queryByRole("button")).toBeNull();
});

test("chooses people by name and says that administrators can see it", async () => {
  const onSave = show();
  await userEvent.click(await screen.findByRole("button", { name: "Who can see it: Company" }));
  const dialog = screen.getByRole("dialog", { name: "Who can see it" });
  expect(within(dialog).queryByText("Administrators can see it, too.")).toBeNull();
  await userEvent.click(within(dialog).getByRole("radio", { name: "People you choose" }));
  expect(within(dialog).getByText("Administrators can see it, too.")).toBeVisible();
  await userEvent.click(within(dialog).getByRole("button", { name: "Save" }));
  expect(within(dialog).getByText("Choose at least one person.")).toBeVisible();
  expect(onSave).not.toHaveBeenCalled();
  await userEvent.type(within(dialog).getByRole("combobox"), "lui");
  await userEvent.click(await screen.findByRole("option", { name: /Luis Rey/ }));
  await userEvent.keyboard("{Escape}");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(onSave).toHaveBeenCalledWith({ to: "people", people: ["u2"] });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("offers neither the author nor suspended members", async () => {
  show({ value: { to: "people", people: ["u2"] } });
  await userEvent.click(await screen.findByRole("button", { name: "Who can see it: 2 people and administrators" }));
  await userEvent.click(screen.getByRole("combobox"));
  const names = (await screen.findAllByRole("option")).map((option) => option.textContent);
  expect(names).toEqual([expect.stringContaining("Luis Rey"), expect.stringContaining("Ada Byron")]);
});

test("keeps the dialog open when the server refuses", async () => {
  show({ onSave: () => Promise.reject(new Error("refused")) });
  await userEvent.click(await screen.findByRole("button", { name: "Who can see it: Company" }));
  await userEvent.click(screen.getByRole("radio", { name: "You and administrators" }));
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByRole("alert")).toBeVisible();
  expect(screen.getByRole("dialog")).toBeVisible();
});
