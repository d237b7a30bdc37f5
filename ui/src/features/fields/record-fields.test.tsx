import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { CustomField, CustomFieldType, FieldValues } from "@/api/schema";
import { accept } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { RecordFields } from "./record-fields";

const server = standInServer();
const at = "2026-11-01T10:00:00Z";

const field = (key: string, type: CustomFieldType, more: Partial<CustomField> = {}): CustomField => ({
  id: key,
  version: 1,
  createdAt: at,
  updatedAt: at,
  kind: "customers",
  key,
  name: key,
  type,
  choices: [],
  ...more,
});

beforeEach(() => {
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.write"] } });
  const choices = [
    { key: "s", name: "Small" },
    { key: "l", name: "Large" },
  ];
  const items = [field("nickname", "text"), field("seats", "number"), field("budget", "money"), field("days", "choices", { choices })];
  server.on("GET /api/fields", () => ({ items: [...items, field("other", "text", { kind: "tasks" })] }));
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("PATCH /api/customers/c1", () => ({}));
});

const show = (values: FieldValues = {}) => renderApp(<RecordFields kind="customer" id="c1" values={values} />);
const saved = () => server.sent("PATCH /api/customers/c1").map(({ body }) => body);

test("saves each value when its field is left", async () => {
  show({ nickname: "Ada", budget: { amount: 1999, currency: "EUR" } });
  const nickname = await screen.findByRole("textbox", { name: "nickname" });
  expect(nickname).toHaveValue("Ada");
  expect(screen.queryByRole("textbox", { name: "other" })).toBeNull();
  await userEvent.clear(nickname);
  await userEvent.type(nickname, "Countess{Enter}");
  await userEvent.type(screen.getByRole("textbox", { name: "seats" }), "2.5{Enter}");
  const budget = screen.getByRole("textbox", { name: "budget" });
  expect(budget).toHaveValue("19.99");
  await userEvent.clear(budget);
  await userEvent.type(budget, "1,250.5{Enter}");
  await userEvent.click(screen.getByRole("checkbox", { name: "Large" }));
  await waitFor(() =>
    expect(saved()).toEqual([
      { fields: { nickname: "Countess" } },
      { fields: { seats: 2.5 } },
      { fields: { budget: { amount: 125_050, currency: "EUR" } } },
      { fields: { days: ["l"] } },
    ]),
  );
});

test("what is typed is saved when the record is closed", async () => {
  const { unmount } = show();
  await userEvent.type(await screen.findByRole("textbox", { name: "nickname" }), "Ada");
  unmount();
  await waitFor(() => expect(saved()).toEqual([{ fields: { nickname: "Ada" } }]));
});

// The kind of fault: what is typed in an open input is lost when the browser leaves the screen.
test("what is typed is saved when the page is reloaded", async () => {
  show();
  await userEvent.type(await screen.findByRole("textbox", { name: "seats" }), "2.5");
  act(() => void dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await waitFor(() => expect(saved()).toEqual([{ fields: { seats: 2.5 } }]));
});

test("a refused value stays in the field with the reason", async () => {
  const error = { code: "invalid", message: "Check the fields.", fields: { "fields.nickname": "Too long." } };
  server.on("PATCH /api/customers/c1", () => new Answer(422, { error }));
  show({ nickname: "Ada" });
  const nickname = await screen.findByRole("textbox", { name: "nickname" });
  await userEvent.type(nickname, " Lovelace{Enter}");
  expect(await screen.findByText("Too long.")).toBeVisible();
  expect(nickname).toHaveValue("Ada Lovelace");
  await userEvent.type(screen.getByRole("textbox", { name: "seats" }), "many{Enter}");
  expect(await screen.findByText("Enter a number.")).toBeVisible();
  expect(saved()).toHaveLength(1);
});

test("who may not write sees only the values there are", async () => {
  accept({ ...signedIn(), user: { ...mira, permissions: [] } });
  show({ nickname: "Ada" });
  expect(await screen.findByRole("textbox", { name: "nickname" })).toHaveAttribute("readonly");
  expect(screen.queryByRole("textbox", { name: "seats" })).toBeNull();
});
