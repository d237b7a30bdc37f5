import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test } from "vitest";
import type { Customer } from "@/api/schema";
import { accept } from "@/api/session";
import { Toaster } from "@/components/toaster";
import { CustomerDrawer } from "@/features/customers/customer-drawer";
import { keepFocus } from "@/lib/keep-focus";
import { useToasts } from "@/lib/toast";
import { undo } from "@/lib/undo";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";

const server = standInServer();
const customer: Customer = {
  id: "c1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  name: "Hollis Reed",
  status: "lead",
  tags: ["eu"],
  details: { company: "Lantern", address: "12 Quay St", emails: [], phoneNumbers: [] },
  attachments: { media: [], docs: [], links: [] },
  fields: {},
};
/** The customer as the server has it. */
let kept: Customer;

const show = (permissions: string[] = ["customers.write"]) => {
  accept({ ...signedIn(), user: { ...mira, permissions: permissions as (typeof mira)["permissions"] } });
  return renderApp(
    <Routes>
      <Route path="customers/:id" element={<CustomerDrawer />} />
      <Route path="*" element={<p>The list</p>} />
    </Routes>,
    { path: "/customers/c1" },
  );
};
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const sent = () => server.sent("PATCH /api/customers/c1").map(({ body, headers }) => [body, headers.get("If-Match")]);

beforeEach(() => {
  sessionStorage.clear();
  undo.clear();
  useToasts.setState({ toasts: [] });
  kept = customer;
  server.on("GET /api/team", () => ({ items: [{ id: "m1", name: "Ada Vela" }], total: 1 }));
  server.on("GET /api/tasks", () => ({ items: [], total: 0 }));
  server.on("GET /api/customers/c1", () => kept);
  server.on("PATCH /api/customers/c1", ({ body, headers }) => {
    if (headers.get("If-Match") !== `"${kept.version}"`) {
      return new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });
    }
    const { details, ...patch } = body as Partial<Customer>;
    kept = { ...kept, ...patch, details: { ...kept.details, ...details }, version: kept.version + 1 };
    return kept;
  });
  for (const part of ["files", "timeline"]) server.on(`GET /api/customers/c1/${part}`, () => ({ items: [], total: 0 }));
});

test("a fact becomes its input: Enter saves it, and the focus returns", async () => {
  show();
  await press("Change company");
  const input = screen.getByRole("textbox", { name: "Company" });
  expect(input).toHaveFocus();
  await userEvent.type(input, " Ltd{Enter}");
  expect(await screen.findByText("Lantern Ltd")).toBeVisible();
  expect(screen.getByRole("button", { name: "Change company" })).toHaveFocus();
  expect(await screen.findByText("Saved")).toBeVisible();
  expect(sent()).toEqual([[{ details: { company: "Lantern Ltd" } }, '"3"']]);
});

test("leaving a text saves it, and an empty one clears the fact", async () => {
  show();
  await press("More");
  await userEvent.click(await screen.findByText("12 Quay St"));
  await userEvent.clear(screen.getByRole("textbox", { name: "Address" }));
  await userEvent.tab();
  await waitFor(() => expect(sent()).toEqual([[{ details: { address: null } }, '"3"']]));
  expect(screen.queryByRole("button", { name: "Change address" })).toBeNull();
  expect(screen.getByRole("button", { name: "Add address" })).toBeVisible();
});

test("Escape restores what was there, and the drawer stays", async () => {
  show();
  await press("Change company");
  await userEvent.type(screen.getByRole("textbox", { name: "Company" }), " Ltd{Escape}");
  expect(screen.getByText("Lantern")).toBeVisible();
  expect(screen.getByRole("button", { name: "Change company" })).toHaveFocus();
  expect(screen.getByRole("dialog", { name: "Hollis Reed" })).toBeVisible();
});

test("Escape ends the editing of tags, and those that were added stay", async () => {
  show();
  await userEvent.click(await screen.findByRole("button", { name: /Change tags$/ }));
  await userEvent.type(screen.getByRole("textbox", { name: "Tags" }), "retail{Enter}who");
  await waitFor(() => expect(sent()).toEqual([[{ tags: ["eu", "retail"] }, '"3"']]));
  await userEvent.keyboard("{Escape}{Escape}");
  await waitFor(() => expect(screen.queryByRole("textbox", { name: "Tags" })).toBeNull());
  expect(screen.getByRole("link", { name: "retail" })).toBeVisible();
  expect(screen.getByRole("dialog", { name: "Hollis Reed" })).toBeVisible();
  expect(sent()).toHaveLength(1);
});

test("an input stays until the press that leaves it is over, with what was typed saved", async () => {
  show();
  const user = userEvent.setup();
  const tab = await screen.findByRole("tab", { name: "Files" });
  for (const [button, name, text, expected] of [
    [/Change tags$/, "Tags", "retail", { tags: ["eu", "retail"] }],
    [/Change company$/, "Company", " Ltd", { details: { company: "Lantern Ltd" } }],
  ] as const) {
    await user.click(await screen.findByRole("button", { name: button }));
    await user.type(screen.getByRole("textbox", { name }), text);
    await user.pointer({ keys: "[MouseLeft>]", target: tab });
    expect(screen.getByRole("textbox", { name })).toBeVisible();
    await user.pointer({ keys: "[/MouseLeft]", target: tab });
    await waitFor(() => expect(screen.queryByRole("textbox", { name })).toBeNull());
    await waitFor(() => expect(sent().at(-1)?.[0]).toEqual(expected));
    expect(tab).toHaveAttribute("aria-selected", "true");
  }
});

test("a choice opens at once and is saved when it is made", async () => {
  show();
  await userEvent.click(await screen.findByRole("button", { name: /Change status$/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Active" }));
  await waitFor(() => expect(sent()).toEqual([[{ status: "active" }, '"3"']]));
  await press("More");
  await press("Add owner");
  await userEvent.click(await screen.findByRole("option", { name: "Ada Vela" }));
  await waitFor(() => expect(sent().at(-1)).toEqual([{ ownerId: "m1" }, '"4"']));
  expect(await screen.findByText("Ada Vela")).toBeVisible();
});

test("Enter saves a day, and presses nothing else", async () => {
  const stop = keepFocus();
  kept = { ...customer, details: { ...customer.details, birthday: "1990-05-04" } };
  show();
  await press("More");
  await press("Change birthday");
  const input = screen.getByRole("textbox", { name: "Birthday" });
  await userEvent.clear(input);
  // A browser would press what gets the focus.
  expect(fireEvent.keyDown(input, { key: "Enter" })).toBe(false);
  await waitFor(() => expect(sent().at(-1)?.[0]).toEqual({ details: { birthday: null } }));
  await waitFor(() => expect(screen.getByRole("button", { name: "Add birthday" })).toHaveFocus());
  expect(screen.queryByRole("listbox")).toBeNull();
  stop();
});

test("a birthday without a year is shown as day and month, and is changed where it stands", async () => {
  kept = { ...customer, details: { ...customer.details, birthday: "--04-12" } };
  show();
  await press("More");
  expect(await screen.findByText("Apr 12")).toBeVisible();
  await press("Change birthday");
  const input = screen.getByRole("textbox", { name: "Birthday" });
  expect(input).toHaveValue("04/12");
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("Apr 12")).toBeVisible();
  expect(sent()).toEqual([]);
  await edit("Change birthday", "Birthday", "5 March");
  expect(await screen.findByText("Mar 5")).toBeVisible();
  expect(sent().map(([body]) => body)).toEqual([{ details: { birthday: "--03-05" } }]);
});

test("a text that the server refuses stays in its input with the reason, until it is right", async () => {
  server.on("PATCH /api/customers/c1", ({ body }) => {
    if (JSON.stringify(body).includes("Ltd")) return { ...customer, details: { ...customer.details, company: "Lantern Ltd" }, version: 4 };
    return new Answer(422, { error: { code: "invalid", message: "Check these.", fields: { "details.company": "Too short." } } });
  });
  show();
  await press("Change company");
  await userEvent.type(screen.getByRole("textbox", { name: "Company" }), "!{Enter}");
  expect(await screen.findByText("Too short.")).toBeVisible();
  expect(screen.getByText("Not saved")).toBeVisible();
  const input = screen.getByRole("textbox", { name: "Company" });
  expect(input).toHaveValue("Lantern!");
  await userEvent.type(input, "{Backspace} Ltd{Enter}");
  expect(await screen.findByText("Lantern Ltd")).toBeVisible();
  expect(screen.queryByText("Too short.")).toBeNull();
});

test("a colleague’s change of another fact stays, and one of the same fact asks", async () => {
  show();
  await press("Change company");
  kept = { ...kept, version: 4, details: { ...kept.details, address: "1 Hill Rd" } };
  await userEvent.type(screen.getByRole("textbox", { name: "Company" }), " Ltd{Enter}");
  expect(await screen.findByText("1 Hill Rd")).toBeVisible();
  expect(sent().at(-1)).toEqual([{ details: { company: "Lantern Ltd" } }, '"4"']);
  kept = { ...kept, version: 6, details: { ...kept.details, company: "Beacon" } };
  await press("Change company");
  await userEvent.type(screen.getByRole("textbox", { name: "Company" }), "!{Enter}");
  const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
  await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
  await waitFor(() => expect(sent().at(-1)).toEqual([{ details: { company: "Lantern Ltd!" } }, '"6"']));
});

// The kind of fault: two people edit the same field where it stands, and the second overwrites the first without being
// asked, because the version that a colleague saved was taken over while the input was open.
const full: Customer = { ...customer, about: "Old", details: { ...customer.details, title: "Owner" } };
const inputs: { button: string; input: RegExp; mine: string; theirs: Partial<Customer>; shown: string; other: Partial<Customer> }[] = [
  {
    button: "Change job title",
    input: /^Job title$/,
    mine: "Buyer",
    theirs: { details: { ...full.details, title: "Directora de compras" } },
    shown: "Directora de compras",
    other: { details: { ...full.details, address: "1 Hill Rd" } },
  },
  {
    button: "Change company",
    input: /^Company$/,
    mine: " Ltd",
    theirs: { details: { ...full.details, company: "Beacon" } },
    shown: "Beacon",
    other: { about: "Likes rugs" },
  },
  {
    button: "Change address",
    input: /^Address$/,
    mine: ", Cádiz",
    theirs: { details: { ...full.details, address: "" } },
    shown: "Empty",
    other: { tags: ["eu", "vip"] },
  },
  {
    button: "Change about",
    input: /^About$/,
    mine: "Muebles y alfombras",
    theirs: { about: "Rugs" },
    shown: "Rugs",
    other: { details: { ...full.details, title: "Buyer" } },
  },
];

for (const { button, input, mine, theirs, shown, other } of inputs) {
  const begin = async () => {
    kept = full;
    const { client } = show();
    await press("More");
    await press(button);
    const field = await screen.findByRole("textbox", { name: input });
    await userEvent.type(field, mine);
    return { client, field };
  };
  const changedElsewhere = async (client: Awaited<ReturnType<typeof begin>>["client"], change: Partial<Customer>) => {
    kept = { ...kept, ...change, version: kept.version + 1 };
    await act(() => client.invalidateQueries({ queryKey: ["customers"] }));
  };

  test(`${button}: a colleague’s change of the same field is shown at it, and asked about`, async () => {
    const { client, field } = await begin();
    await changedElsewhere(client, theirs);
    expect(await screen.findByText(/This was changed while you were editing:/)).toHaveTextContent(shown);
    expect(field).toHaveFocus();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
    expect(kept.version).toBe(4);
    await userEvent.click(dialog.getByRole("radio", { name: /^The other version/ }));
    await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
    await waitFor(() => expect(screen.queryByRole("dialog", { name: "Two versions" })).toBeNull());
    expect(kept).toMatchObject({ version: 4, ...theirs });
  });

  test(`${button}: a colleague’s change of another field asks nothing`, async () => {
    const { client } = await begin();
    await changedElsewhere(client, other);
    expect(screen.queryByText(/This was changed while you were editing:/)).toBeNull();
    await userEvent.keyboard("{Control>}{Enter}{/Control}");
    await waitFor(() => expect(kept.version).toBe(5));
    expect(JSON.stringify(kept)).toContain(mine);
    expect(kept).toMatchObject("details" in other ? {} : other);
    expect(screen.queryByRole("dialog", { name: "Two versions" })).toBeNull();
  });
}

test("an input that is left as it was takes over what a colleague saved", async () => {
  const { client } = show();
  await press("Change company");
  kept = { ...kept, version: 4, details: { ...kept.details, company: "Beacon" } };
  await act(() => client.invalidateQueries({ queryKey: ["customers"] }));
  await userEvent.keyboard("{Enter}");
  expect(await screen.findByText("Beacon")).toBeVisible();
  expect(sent()).toEqual([]);
});

test("who may not change the record only reads its facts", async () => {
  show([]);
  await userEvent.click(await screen.findByText("Lantern"));
  expect(screen.queryByRole("textbox", { name: "Company" })).toBeNull();
  expect(screen.queryByRole("button", { name: /^(Change|Add)/ })).toBeNull();
});

test("addresses and numbers have the signs of the other facts, which lead to their inputs in the form", async () => {
  const phoneNumbers = [{ country: "US", phoneNumber: "202 555 0143", label: "" }];
  kept = { ...customer, details: { ...customer.details, phoneNumbers } };
  show();
  await press("Add email addresses");
  expect(await screen.findByRole("textbox", { name: "Email address 1" })).toHaveFocus();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  await press("Change phone numbers");
  expect(await screen.findByRole("textbox", { name: "Phone number 1" })).toHaveFocus();
  await userEvent.click(screen.getByRole("button", { name: "Cancel" }));
  // The form of the whole record begins with its first field.
  await press("Edit");
  expect(await screen.findByRole("textbox", { name: "Name" })).toHaveFocus();
});

test("who may not change a record sees no signs", async () => {
  show(["customers.read"]);
  expect(await screen.findByText("12 Quay St")).toBeVisible();
  expect(screen.queryByRole("button", { name: /^(Add|Change) / })).toBeNull();
});

// What is edited where it stands can be undone as what a toast offers to undo can (F-U7).
const edit = async (button: string, input: string, text: string) => {
  await press(button);
  await userEvent.clear(screen.getByRole("textbox", { name: input }));
  await userEvent.type(screen.getByRole("textbox", { name: input }), `${text}{Enter}`);
};
const pressUndo = () => fireEvent.keyDown(document.body, { key: "z", ctrlKey: true });
const texts = () => useToasts.getState().toasts.map(({ text }) => text);

test("Ctrl+Z undoes edits one after the other, the newest first, also on another screen", async () => {
  const record = show();
  await edit("Change company", "Company", "Beacon");
  await waitFor(() => expect(sent()).toHaveLength(1));
  await press("More");
  await userEvent.click(await screen.findByText("12 Quay St"));
  await userEvent.clear(screen.getByRole("textbox", { name: "Address" }));
  await userEvent.tab();
  await waitFor(() => expect(sent()).toHaveLength(2));
  record.unmount();
  renderApp(<Toaster />);
  pressUndo();
  await waitFor(() => expect(sent()[2]).toEqual([{ details: { address: "12 Quay St" } }, '"5"']));
  pressUndo();
  await waitFor(() => expect(sent()[3]).toEqual([{ details: { company: "Lantern" } }, '"6"']));
  await waitFor(() => expect(texts()).toEqual(["Undone: Address", "Undone: Company"]));
  pressUndo();
  expect(kept).toMatchObject({ details: { company: "Lantern", address: "12 Quay St" } });
  expect(sent()).toHaveLength(4);
});

test("the open record shows what was undone", async () => {
  show();
  renderApp(<Toaster />);
  await edit("Change company", "Company", "Beacon");
  expect(await screen.findByText("Saved")).toBeVisible();
  pressUndo();
  expect(await screen.findByText("Lantern")).toBeVisible();
});

test("what someone else changed since is not undone, and this is said", async () => {
  show();
  renderApp(<Toaster />);
  await edit("Change company", "Company", "Beacon");
  expect(await screen.findByText("Saved")).toBeVisible();
  kept = { ...kept, details: { ...kept.details, company: "Harbour" }, version: 9 };
  pressUndo();
  await waitFor(() => expect(texts()).toEqual(["This was changed since, so it can’t be undone."]));
  expect(sent()).toHaveLength(1);
});

test("a field that someone else changed since is no obstacle to undoing another one", async () => {
  show();
  renderApp(<Toaster />);
  await edit("Change company", "Company", "Beacon");
  expect(await screen.findByText("Saved")).toBeVisible();
  kept = { ...kept, status: "active", version: 9 };
  pressUndo();
  await waitFor(() => expect(sent()[1]).toEqual([{ details: { company: "Lantern" } }, '"9"']));
  expect(kept.status).toBe("active");
});

// The kind of fault: an act of this tab that Ctrl+Z passes over, so that it undoes an older one, and does not name.
const saveForm = async (input: string, text: string) => {
  await press("Edit");
  const field = await screen.findByRole("textbox", { name: input });
  await userEvent.clear(field);
  if (text) await userEvent.type(field, text);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.queryByRole("button", { name: "Save" })).toBeNull());
};
const chooseStatus = async () => {
  await userEvent.click(await screen.findByRole("button", { name: /Change status$/ }));
  await userEvent.click(await screen.findByRole("option", { name: "Active" }));
  await waitFor(() => expect(kept.status).toBe("active"));
};

test("Ctrl+Z undoes a saved form before an older edit, and names the field", async () => {
  show();
  renderApp(<Toaster />);
  await chooseStatus();
  await saveForm("Job title", "Head of buying");
  expect(kept.details.title).toBe("Head of buying");
  pressUndo();
  await waitFor(() => expect(texts()).toEqual(["Undone: Job title"]));
  expect(sent().at(-1)).toEqual([{ details: { title: null } }, '"5"']);
  expect(kept).toMatchObject({ status: "active", details: { company: "Lantern" } });
  pressUndo();
  await waitFor(() => expect(texts()).toContain("Undone: Status"));
  expect(kept.status).toBe("lead");
});

test.each([
  ["Name", "Hollis Vane", { name: "Hollis Reed" }],
  ["Address", "", { details: { address: "12 Quay St" } }],
  ["About", "Buys lamps", { about: null }],
])("a form that changed %s alone is undone for it alone", async (input, text, body) => {
  show();
  renderApp(<Toaster />);
  await saveForm(input, text);
  pressUndo();
  await waitFor(() => expect(texts()).toEqual([`Undone: ${input}`]));
  expect(sent().at(-1)?.[0]).toEqual(body);
});

test("a saved form is not undone over what someone else changed since, but beside it", async () => {
  show();
  renderApp(<Toaster />);
  await saveForm("Name", "Hollis Vane");
  kept = { ...kept, status: "active", version: 8 };
  pressUndo();
  await waitFor(() => expect(sent().at(-1)).toEqual([{ name: "Hollis Reed" }, '"8"']));
  await saveForm("Address", "1 Pier");
  kept = { ...kept, details: { ...kept.details, address: "2 Pier" }, version: 12 };
  pressUndo();
  await waitFor(() => expect(texts()).toContain("This was changed since, so it can’t be undone."));
  expect(kept.details.address).toBe("2 Pier");
});

// The kind of fault: "Saved" beside a change that is not saved.
test("what is typed, or not accepted, ends what is said of the last save", async () => {
  show();
  await edit("Change company", "Company", "Beacon");
  expect(await screen.findByText("Saved")).toBeVisible();
  await press("More");
  await userEvent.click(await screen.findByText("12 Quay St"));
  expect(screen.getByText("Saved")).toBeVisible();
  await userEvent.type(screen.getByRole("textbox", { name: "Address" }), ", 2nd floor");
  expect(screen.queryByText("Saved")).toBeNull();
  await userEvent.tab();
  expect(await screen.findByText("Saved")).toBeVisible();
  await press("Add birthday");
  await userEvent.type(screen.getByRole("textbox", { name: "Birthday" }), "31/31/1990");
  await userEvent.tab();
  expect(screen.getByText("This day doesn’t exist.")).toBeVisible();
  expect(screen.queryByText("Saved")).toBeNull();
  await userEvent.type(screen.getByRole("textbox", { name: "Birthday" }), "{Escape}");
  expect(await screen.findByText("Saved")).toBeVisible();
});

// The kind of fault: a field that got the focus and was left without typing writes back what it showed before.
test.each([
  ["Company", "Change company", "company"],
  ["Job title", "Change job title", "title"],
  ["Address", "Change address", "address"],
])("%s that is left as it was keeps a colleague’s change", async (name, button, field) => {
  kept = { ...customer, details: { ...customer.details, title: "Buyer" } };
  const { client } = show();
  await userEvent.click(await screen.findByRole("button", { name: "More" })).catch(() => undefined);
  await press(button);
  kept = { ...kept, version: 4, details: { ...kept.details, [field]: "Theirs" } };
  await client.invalidateQueries({ queryKey: ["customers"] });
  await waitFor(() => expect(server.sent("GET /api/customers/c1").length).toBeGreaterThan(1));
  expect(screen.getByRole("textbox", { name })).toHaveFocus();
  await userEvent.keyboard(name === "Address" ? "{Control>}{Enter}{/Control}" : "{Enter}");
  expect(await screen.findByText("Theirs")).toBeVisible();
  expect(sent()).toEqual([]);
});

// The kind of fault: what is typed in an open input is lost when the browser leaves the screen: Back, reload, closing the
// tab. Clicking away saves it.
const leaving = {
  Back: async ({ router }: ReturnType<typeof show>) => {
    await act(async () => {
      dispatchEvent(new PopStateEvent("popstate"));
      await router.navigate("/customers");
    });
    expect(await screen.findByText("The list")).toBeVisible();
  },
  "another screen": async ({ router }: ReturnType<typeof show>) => {
    await act(() => router.navigate("/customers"));
    expect(await screen.findByText("The list")).toBeVisible();
  },
  "a reload": async () => {
    const event = new Event("beforeunload", { cancelable: true });
    act(() => void dispatchEvent(event));
    // The request may not end before the page.
    expect(event.defaultPrevented).toBe(true);
  },
};
const typed: { button: string; input: RegExp; text: string; body: object }[] = [
  { button: "Change job title", input: /^Job title$/, text: "{Control>}a{/Control}Buyer", body: { details: { title: "Buyer" } } },
  { button: "Change company", input: /^Company$/, text: " Ltd", body: { details: { company: "Lantern Ltd" } } },
  { button: "Change about", input: /^About$/, text: "{Control>}a{/Control}Línea 1", body: { about: "Línea 1" } },
];

for (const [way, leave] of Object.entries(leaving)) {
  for (const { button, input, text, body } of typed) {
    test(`${button}: what is typed is saved by ${way}, once`, async () => {
      kept = full;
      const page = show();
      await press("More");
      await press(button);
      await userEvent.type(await screen.findByRole("textbox", { name: input }), text);
      await leave(page);
      await waitFor(() => expect(sent()).toEqual([[body, '"3"']]));
      page.unmount();
      expect(sent()).toHaveLength(1);
    });
  }
}

test("a day that is being typed is saved by a reload; what Escape gave up and what was not changed are not", async () => {
  kept = { ...full, details: { ...full.details, birthday: "1990-04-12" } };
  const { router } = show();
  await press("More");
  await press("Change job title");
  await userEvent.type(await screen.findByRole("textbox", { name: "Job title" }), "x{Escape}");
  await press("Change company");
  await act(() => router.navigate("/customers"));
  await screen.findByText("The list");
  expect(sent()).toEqual([]);
  await act(() => router.navigate("/customers/c1"));
  await press("More");
  await press("Change birthday");
  const day = await screen.findByRole("textbox", { name: "Birthday" });
  await userEvent.clear(day);
  await userEvent.type(day, "4/13/1990");
  act(() => void dispatchEvent(new Event("beforeunload", { cancelable: true })));
  await waitFor(() => expect(sent()).toEqual([[{ details: { birthday: "1990-04-13" } }, '"3"']]));
});
