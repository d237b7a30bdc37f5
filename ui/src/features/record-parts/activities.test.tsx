import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
import type { Activity, TimelineEntry } from "@/api/schema";
import { accept, useSession } from "@/api/session";
import { hasUnsentWork } from "@/lib/drafts";
import { useToasts } from "@/lib/toast";
import { addDays, instantOf, isoDay, setTimeZone } from "@/lib/zone";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { LogButton } from "./log-button";
import { LogDock } from "./log-dock";
import { addEntry } from "./logging";
import { Timeline } from "./timeline";

const server = standInServer();
const at = "2026-11-01T10:00:00Z";

const makeActivity = (more: Partial<Activity> = {}): Activity => ({
  id: "a1",
  version: 3,
  at,
  createdAt: at,
  createdBy: mira.id,
  type: "call",
  outcome: "Reached",
  text: "Wants samples.",
  links: [
    { kind: "customer", recordId: "c1", card: { title: "Ana López", link: "/customers/c1" } },
    { kind: "organization", recordId: "o1", card: { title: "Acme Ltd", link: "/customers/organizations/o1" } },
  ],
  nextTaskId: "t1",
  nextTask: { title: "Send samples", link: "/tasks/t1", done: true },
  ...more,
});
const logged = (activity: Activity): TimelineEntry => ({
  id: activity.id,
  event: "logged",
  at: activity.at,
  by: mira.id,
  changes: [],
  records: [],
  activity,
});

let entries: TimelineEntry[];
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });

beforeEach(() => {
  setTimeZone("UTC");
  sessionStorage.clear();
  localStorage.clear();
  useSession.setState({ state: "guest", user: undefined });
  useToasts.setState({ toasts: [] });
  signIn(["comments.write", "tasks.write"]);
  entries = [];
  const member = { id: mira.id, name: mira.name, email: mira.email, role: "member", state: "active" };
  server.on("GET /api/team", () => ({ items: [member], total: 1 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/customers/c1/timeline", () => ({ items: entries }));
  server.on("POST /api/activities", ({ body }) => {
    const activity = makeActivity({ ...(body as Partial<Activity>), id: "a2" });
    entries = [logged(activity), ...entries];
    return new Answer(201, activity);
  });
});

const show = () => renderApp(<Timeline kind="customer" id="c1" />);
const press = async (name: string) => userEvent.click(await screen.findByRole("button", { name }));
const sent = () => server.sent("POST /api/activities").map(({ body }) => body);
const links = [{ kind: "customer", recordId: "c1" }];

test("a call is logged in two presses", async () => {
  show();
  await press("Call");
  expect(screen.getByRole("textbox", { name: "What was said" })).toHaveFocus();
  await press("Log call");
  expect(await screen.findByText((_, element) => element?.tagName === "P" && element.textContent === "Mira Okafor called")).toBeVisible();
  expect(sent()).toEqual([{ type: "call", text: null, outcome: null, links }]);
  expect(await screen.findByRole("textbox", { name: "Write a comment" })).toBeVisible();
  expect(screen.getByRole("button", { name: "Call" })).toHaveFocus();
});

test("an activity has an outcome, a time and a next step, and Ctrl+Enter logs it", async () => {
  show();
  await press("Visit");
  await userEvent.type(screen.getByRole("textbox", { name: "How it went" }), "Long talk");
  await press("Went well");
  await press("When: now. Change");
  const time = screen.getByRole("textbox", { name: "Time" });
  await userEvent.clear(time);
  await userEvent.type(time, "9:30");
  await press("Add next step");
  await press("In a week");
  await userEvent.type(screen.getByRole("textbox", { name: /^What to do next/ }), "Send offer");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(sent()).toHaveLength(1));
  const today = isoDay();
  expect(sent()[0]).toEqual({
    type: "visit",
    text: "Long talk",
    outcome: "Went well",
    at: instantOf(today, "09:30").toISOString(),
    links,
    nextStep: { title: "Send offer", dueDate: addDays(today, 7), assigneeId: mira.id },
  });
});

test("a note needs a text, and a next step a title; neither is sent without", async () => {
  show();
  await press("Note");
  await press("Add note");
  expect(screen.getByRole("textbox", { name: /^Note/ })).toHaveAccessibleDescription("This can’t be empty.");
  await userEvent.type(screen.getByRole("textbox", { name: /^Note/ }), "Moves in May");
  await press("Add next step");
  await press("Add note");
  expect(screen.getByRole("textbox", { name: /^What to do next/ })).toBeInvalid();
  expect(sent()).toEqual([]);
  await press("Remove next step");
  await press("Add note");
  await waitFor(() => expect(sent()).toEqual([{ type: "note", text: "Moves in May", outcome: null, links }]));
});

test("an activity of the day after tomorrow is not sent, and its day says why", async () => {
  show();
  await press("Call");
  await press("When: now. Change");
  const day = () => screen.getByRole("textbox", { name: /^Day/ });
  await userEvent.clear(day());
  await userEvent.type(day(), "12/31/2099");
  await press("Log call");
  await waitFor(() => expect(day()).toHaveFocus());
  expect(day()).toBeInvalid();
  expect(day()).toHaveAccessibleDescription("This is in the future. Enter when it was.");
  expect(sent()).toEqual([]);
});

test("what is refused stays with the error at its field", async () => {
  const accepted = ({ body }: { body?: unknown }) => new Answer(201, makeActivity(body as Partial<Activity>));
  server.on("POST /api/activities", () => new Answer(422, { error: { code: "invalid", message: "No.", fields: { text: "Too long." } } }));
  const { unmount } = show();
  await press("Email");
  await userEvent.type(screen.getByRole("textbox", { name: "What it was about" }), "Offer");
  await press("Log email");
  expect(await screen.findByText("Too long.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "What it was about" })).toHaveValue("Offer");
  // The draft survives closing the record.
  unmount();
  show();
  expect(await screen.findByRole("textbox", { name: "What it was about" })).toHaveValue("Offer");
  server.on("POST /api/activities", accepted);
  await press("Log email");
  expect(await screen.findByRole("textbox", { name: "Write a comment" })).toBeVisible();
  await waitFor(() => expect(sent()).toHaveLength(2));
});

test("an activity is told with outcome, text, next step and the other records, and is changed", async () => {
  entries = [logged(makeActivity())];
  server.on("PATCH /api/activities/a1", ({ body }) => {
    const changed = makeActivity({ ...(body as Partial<Activity>), version: 4 });
    entries = [logged(changed)];
    return changed;
  });
  show();
  const entry = within((await screen.findByText("Wants samples.")).closest("li") as HTMLElement);
  expect(entry.getByText("Reached")).toBeVisible();
  expect(entry.getByRole("link", { name: /Send samples/ })).toHaveAttribute("href", "/tasks/t1");
  expect(entry.getByRole("link", { name: /Send samples/ })).toHaveTextContent("completed");
  expect(entry.getByRole("link", { name: /Acme Ltd/ })).toBeVisible();
  expect(entry.queryByRole("link", { name: /Ana López/ })).toBeNull();
  await userEvent.click(entry.getByRole("button", { name: "Entry actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit call" }));
  await userEvent.click(await entry.findByRole("button", { name: "Left a message" }));
  await userEvent.click(entry.getByRole("button", { name: "Save" }));
  expect(await entry.findByText("Left a message")).toBeVisible();
  const [change] = server.sent("PATCH /api/activities/a1");
  expect(change?.body).toEqual({ type: "call", text: "Wants samples.", outcome: "Left a message" });
  expect(change?.headers.get("If-Match")).toBe('"3"');
});

// The kind of fault: what was typed into an activity that exists is lost with the page when it could not be saved, and a
// colleague’s change that arrived while it was typed is overwritten.
const editCall = async () => {
  await userEvent.click(await screen.findByRole("button", { name: "Entry actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit call" }));
  await userEvent.type(await screen.findByRole("textbox", { name: "What was said" }), " Two.");
};

test("a change of an activity that could not be saved says so, and survives the page", async () => {
  entries = [logged(makeActivity())];
  server.on("PATCH /api/activities/a1", () => {
    throw new TypeError("Failed to fetch");
  });
  const { unmount } = show();
  await editCall();
  await press("Save");
  expect(await screen.findByText("Not saved")).toBeVisible();
  unmount();
  show();
  expect(await screen.findByText("We kept your unsaved text. Save it or discard it.")).toBeVisible();
  expect(screen.getByRole("textbox", { name: "What was said" })).toHaveValue("Wants samples. Two.");
  server.on("PATCH /api/activities/a1", ({ body }) => {
    entries = [logged(makeActivity({ ...(body as Partial<Activity>), version: 4 }))];
    return entries[0]?.activity;
  });
  await press("Save");
  expect(await screen.findByText("Wants samples. Two.", { selector: "p" })).toBeVisible();
  expect(server.sent("PATCH /api/activities/a1").at(-1)?.headers.get("If-Match")).toBe('"3"');
  expect(hasUnsentWork(mira.id)).toBe(false);
});

test("a change of an activity asks about what a colleague changed since it began", async () => {
  let kept = makeActivity();
  entries = [logged(kept)];
  server.on("GET /api/activities/a1", () => kept);
  server.on("PATCH /api/activities/a1", ({ body, headers }) => {
    if (headers.get("If-Match") !== `"${kept.version}"`) {
      return new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });
    }
    kept = { ...kept, ...(body as Partial<Activity>), version: kept.version + 1 };
    entries = [logged(kept)];
    return kept;
  });
  const { client } = show();
  await editCall();
  kept = makeActivity({ version: 4, text: "Wants a catalogue.", outcome: "Left a message" });
  entries = [logged(kept)];
  await act(() => client.invalidateQueries({ queryKey: ["timeline"] }));
  await press("Save");
  const dialog = within(await screen.findByRole("dialog", { name: "Two versions" }));
  expect(dialog.getByRole("radio", { name: /^The other version.*Wants a catalogue\./ })).toBeVisible();
  await userEvent.click(dialog.getByRole("button", { name: "Save this version" }));
  expect(await screen.findByText("Wants samples. Two.", { selector: "p" })).toBeVisible();
  expect(kept.outcome).toBe("Left a message");
});

test("cancelling a change of an activity forgets what was typed", async () => {
  entries = [logged(makeActivity())];
  const { unmount } = show();
  await editCall();
  expect(hasUnsentWork(mira.id)).toBe(true);
  await press("Cancel");
  unmount();
  show();
  expect(await screen.findByText("Wants samples.")).toBeVisible();
  expect(hasUnsentWork(mira.id)).toBe(false);
});

test("the own activity is deleted and brought back; another’s has no actions", async () => {
  const theirs = makeActivity({ id: "a9", createdBy: "u2", text: "Theirs" });
  entries = [logged(makeActivity()), logged(theirs)];
  server.on("DELETE /api/activities/a1", () => {
    entries = [logged(theirs)];
    return new Answer(204);
  });
  show();
  const other = within((await screen.findByText("Theirs")).closest("li") as HTMLElement);
  expect(other.queryByRole("button", { name: "Entry actions" })).toBeNull();
  await press("Entry actions");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Delete call" }));
  await waitFor(() => expect(screen.queryByText("Wants samples.")).toBeNull());
  const [shown] = useToasts.getState().toasts;
  expect(shown?.text).toBe("The call was deleted.");
  shown?.action?.run();
  expect(await screen.findByText("Wants samples.")).toBeVisible();
  expect(sent()).toEqual([
    {
      type: "call",
      at,
      text: "Wants samples.",
      outcome: "Reached",
      links: [...links, { kind: "organization", recordId: "o1" }],
      nextTaskId: "t1",
    },
  ]);
});

test("an activity whose next task is gone is brought back without it", async () => {
  entries = [logged(makeActivity())];
  server.on("DELETE /api/activities/a1", () => {
    entries = [];
    return new Answer(204);
  });
  server.on("POST /api/activities", ({ body }) => {
    if ((body as { nextTaskId?: string }).nextTaskId) {
      return new Answer(422, { error: { code: "invalid", message: "Some fields aren’t valid.", fields: { nextTaskId: "It’s gone." } } });
    }
    entries = [logged(makeActivity({ id: "a2" }))];
    return new Answer(201, makeActivity({ id: "a2" }));
  });
  show();
  await press("Entry actions");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Delete call" }));
  await waitFor(() => expect(screen.queryByText("Wants samples.")).toBeNull());
  useToasts.getState().toasts[0]?.action?.run();
  expect(await screen.findByText("Wants samples.")).toBeVisible();
  expect(sent().map((body) => (body as { nextTaskId?: string }).nextTaskId)).toEqual(["t1", undefined]);
});

test("an activity whose time is changed moves in the timeline at once", async () => {
  const before = makeActivity({ text: "Earlier" });
  const other = makeActivity({ id: "a9", at: "2026-11-02T10:00:00Z", text: "Later" });
  entries = [logged(other), logged(before)];
  server.on("PATCH /api/activities/a1", ({ body }) => ({ ...before, ...(body as Partial<Activity>), version: 4 }));
  show();
  const entry = within((await screen.findByText("Earlier")).closest("li") as HTMLElement);
  await userEvent.click(entry.getByRole("button", { name: "Entry actions" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Edit call" }));
  const day = await entry.findByLabelText("Day");
  await userEvent.clear(day);
  await userEvent.type(day, "11/3/2026");
  await userEvent.tab();
  // It does not wait for the timeline to be read again.
  server.on("GET /api/customers/c1/timeline", () => new Promise(() => undefined));
  await userEvent.click(entry.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(screen.getAllByText(/^(Earlier|Later)$/).map(({ textContent }) => textContent)).toEqual(["Earlier", "Later"]));
  expect(server.sent("PATCH /api/activities/a1")[0]?.body).toMatchObject({ at: "2026-11-03T10:00:00.000Z" });
});

test("an administrator is asked before another’s activity is deleted", async () => {
  signIn(["comments.write", "comments.delete"]);
  entries = [logged(makeActivity({ createdBy: "u2" }))];
  server.on("DELETE /api/activities/a1", () => new Answer(204));
  show();
  await press("Entry actions");
  await userEvent.click(await screen.findByRole("menuitem", { name: "Delete call" }));
  expect(server.sent("DELETE /api/activities/a1")).toHaveLength(0);
  await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "Delete call" }));
  await waitFor(() => expect(server.sent("DELETE /api/activities/a1")).toHaveLength(1));
  expect(useToasts.getState().toasts).toEqual([]);
});

test("a call is logged in two presses from a list, too", async () => {
  renderApp(
    <>
      <LogButton record={{ kind: "organization", id: "o1", name: "Acme Ltd" }} />
      <LogDock />
    </>,
  );
  await press("Log activity with Acme Ltd");
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Log call" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sent()).toEqual([{ type: "call", text: null, outcome: null, links: [{ kind: "organization", recordId: "o1" }] }]);
  expect(useToasts.getState().toasts[0]?.text).toBe("The call was logged.");
});

test("a task is added where activities are logged, for all that the record belongs to", async () => {
  server.on("GET /api/customers/c1", () => ({ id: "c1", version: 1, name: "Ana López", organizationId: "o1" }));
  server.on("POST /api/tasks", ({ body }) => new Answer(201, { id: "t9", version: 1, ...(body as object) }));
  show();
  await press("Task");
  expect(screen.getByRole("textbox", { name: /^What to do next/ })).toHaveFocus();
  await press("Add task");
  expect(screen.getByRole("textbox", { name: /^What to do next/ })).toBeInvalid();
  await userEvent.type(screen.getByRole("textbox", { name: /^What to do next/ }), "Send the offer");
  await press("Tomorrow");
  await userEvent.keyboard("{Control>}{Enter}{/Control}");
  await waitFor(() => expect(server.sent("POST /api/tasks")).toHaveLength(1));
  expect(server.sent("POST /api/tasks")[0]?.body).toEqual({
    title: "Send the offer",
    dueDate: addDays(isoDay(), 1),
    assigneeId: mira.id,
    customerId: "c1",
    organizationId: "o1",
  });
  expect(await screen.findByRole("textbox", { name: "Write a comment" })).toBeVisible();
  expect(useToasts.getState().toasts[0]?.text).toBe("“Send the offer” was added.");
});

test("without the right to add tasks and events, neither is offered", async () => {
  signIn(["comments.write"]);
  const { unmount } = show();
  await screen.findByRole("button", { name: "Call" });
  expect(screen.queryByRole("button", { name: "Task" })).toBeNull();
  expect(screen.queryByRole("link", { name: "Event" })).toBeNull();
  unmount();
  signIn(["comments.write", "events.write"]);
  show();
  expect(await screen.findByRole("link", { name: "Event" })).toHaveAttribute("href", "/events/new?person=c1");
});

test("what is asked for from elsewhere opens in the record that is shown, otherwise in a dialog", async () => {
  const { unmount } = renderApp(
    <>
      <Timeline kind="customer" id="c1" />
      <LogDock />
    </>,
  );
  await screen.findByRole("button", { name: "Call" });
  act(() => addEntry({ kind: "customer", id: "c1", name: "Ana López" }, "visit"));
  expect(await screen.findByRole("textbox", { name: "How it went" })).toHaveFocus();
  expect(screen.queryByRole("dialog")).toBeNull();
  act(() => addEntry({ kind: "deal", id: "d1", name: "Rugs" }, "call"));
  const dialog = within(await screen.findByRole("dialog", { name: "Log activity on Rugs" }));
  expect(dialog.getByRole("button", { name: "Call" })).toHaveAttribute("aria-pressed", "true");
  unmount();
});

test("other kinds of records have comments only", async () => {
  server.on("GET /api/tasks/t1/timeline", () => ({ items: [] }));
  renderApp(<Timeline kind="task" id="t1" />);
  expect(await screen.findByRole("textbox", { name: "Write a comment" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Call" })).toBeNull();
  expect(screen.queryByRole("radio", { name: "Activities" })).toBeNull();
});
