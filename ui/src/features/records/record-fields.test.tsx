import { useQuery } from "@tanstack/react-query";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Customer, CustomField, CustomFieldType, FieldValues } from "@/api/schema";
import { accept } from "@/api/session";
import { undo } from "@/lib/undo";
import { recordQuery } from "@/records/data";
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

/** The customer as the server has it. */
let kept: Customer;

beforeEach(() => {
  sessionStorage.clear();
  undo.clear();
  accept({ ...signedIn(), user: { ...mira, permissions: ["customers.write"] } });
  const choices = [
    { key: "s", name: "Small" },
    { key: "l", name: "Large" },
  ];
  const items = [field("nickname", "text"), field("seats", "number"), field("budget", "money"), field("days", "choices", { choices })];
  server.on("GET /api/fields", () => ({ items: [...items, field("other", "text", { kind: "tasks" })] }));
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers/c1", () => kept);
  server.on("PATCH /api/customers/c1", ({ body, headers }) => {
    if (headers.get("If-Match") !== `"${kept.version}"`) {
      return new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });
    }
    return change((body as Pick<Customer, "fields">).fields);
  });
});

const change = (values: FieldValues) => {
  kept = { ...kept, version: kept.version + 1, fields: { ...kept.fields, ...values } };
  return kept;
};
const show = (values: FieldValues = {}) => {
  kept = {
    id: "c1",
    version: 3,
    createdAt: at,
    updatedAt: at,
    name: "Hollis Reed",
    status: "lead",
    tags: [],
    details: { emails: [], phoneNumbers: [] },
    attachments: { media: [], docs: [], links: [] },
    fields: values,
  };
  return renderApp(<Shown />);
};

function Shown() {
  const { data } = useQuery({ ...recordQuery("customer", "c1"), initialData: kept, staleTime: Number.POSITIVE_INFINITY });
  return <RecordFields kind="customer" record={data} />;
}
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

// The kind of fault: two people change the same custom field where it stands, and the second overwrites the first without
// being asked, because the change is sent without the version that it was made to.
const seen: FieldValues = { nickname: "Ada", seats: 2, budget: { amount: 1999, currency: "EUR" }, days: ["s"] };
const inputs: { name: string; mine: () => Promise<void>; theirs: FieldValues; shown: string; own: FieldValues }[] = [
  {
    name: "a text",
    mine: () => userEvent.type(screen.getByRole("textbox", { name: "nickname" }), " L{Enter}"),
    theirs: { nickname: "Countess" },
    shown: "Countess",
    own: { nickname: "Ada L" },
  },
  {
    name: "a number",
    mine: () => userEvent.type(screen.getByRole("textbox", { name: "seats" }), "5{Enter}"),
    theirs: { seats: 7 },
    shown: "7",
    own: { seats: 25 },
  },
  {
    name: "an amount",
    mine: () => userEvent.type(screen.getByRole("textbox", { name: "budget" }), "{Backspace}8{Enter}"),
    theirs: { budget: { amount: 5000, currency: "EUR" } },
    shown: "€50",
    own: { budget: { amount: 1998, currency: "EUR" } },
  },
  {
    name: "several choices",
    mine: () => userEvent.click(screen.getByRole("checkbox", { name: "Large" })),
    theirs: { days: [] },
    shown: "Empty",
    own: { days: ["s", "l"] },
  },
];

for (const { name, mine, theirs, shown, own } of inputs) {
  test(`${name} that a colleague changed asks which version to keep`, async () => {
    show(seen);
    await screen.findByRole("textbox", { name: "nickname" });
    change(theirs);
    await mine();
    const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
    expect(dialog.getByRole("radio", { name: new RegExp(`^The other version.*${shown}`) })).toBeVisible();
    expect(kept.fields).toEqual({ ...seen, ...theirs });
    await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
    await waitFor(() => expect(kept.fields).toEqual({ ...seen, ...theirs, ...own }));
    expect(await screen.findByText("Saved")).toBeVisible();
  });

  test(`${name} is saved beside what a colleague changed of another field`, async () => {
    show(seen);
    await screen.findByRole("textbox", { name: "nickname" });
    change({ note: "Likes rugs" });
    await mine();
    await waitFor(() => expect(kept.fields).toEqual({ ...seen, ...own, note: "Likes rugs" }));
    expect(screen.queryByRole("dialog")).toBeNull();
  });
}

test("what a colleague changes while a field is edited is shown at it, and asked about", async () => {
  const { client } = show(seen);
  const nickname = await screen.findByRole("textbox", { name: "nickname" });
  await userEvent.type(nickname, " L");
  change({ nickname: "Countess" });
  await act(() => client.invalidateQueries({ queryKey: ["customers"] }));
  expect(await screen.findByText(/This was changed while you were editing:/)).toHaveTextContent("Countess");
  expect(nickname).toHaveValue("Ada L");
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByRole("dialog", { name: "Two versions" })).toBeVisible();
  expect(kept.fields.nickname).toBe("Countess");
});

test("a value that could not be saved is sent again when the record is opened the next time", async () => {
  server.on("PATCH /api/customers/c1", () => new Answer(503, { error: { code: "busy", message: "Try again." } }));
  const { unmount } = show(seen);
  await userEvent.type(await screen.findByRole("textbox", { name: "nickname" }), " L{Enter}");
  expect(await screen.findByText("Not saved")).toBeVisible();
  unmount();
  server.on("PATCH /api/customers/c1", ({ body }) => change((body as Pick<Customer, "fields">).fields));
  renderApp(<Shown />);
  await waitFor(() => expect(kept.fields.nickname).toBe("Ada L"));
});

test("undoing puts back the value before", async () => {
  show(seen);
  await userEvent.type(await screen.findByRole("textbox", { name: "nickname" }), " L{Enter}");
  await waitFor(() => expect(kept.fields.nickname).toBe("Ada L"));
  expect(await screen.findByText("Saved")).toBeVisible();
  act(() => void undo.runLast());
  await waitFor(() => expect(kept.fields).toEqual(seen));
});
