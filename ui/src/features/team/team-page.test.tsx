import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { Member } from "@/api/schema";
import { accept } from "@/api/session";
import { useChatPanel } from "@/features/chat/panel";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { TeamPage } from "./team-page";

const server = standInServer();
const make = (id: string, name: string, role: Member["role"]): Member => ({
  id,
  name,
  role,
  presence: "not-visible",
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  email: `${id}@northwind.example`,
  state: "active",
});
const people = [
  make("u1", "Mira Okafor", "admin"),
  make("u2", "José Núñez", "member"),
  make("u3", "Ada Owner", "owner"),
  { ...make("u4", "ida", "viewer"), state: "invited" as const },
];

const answerTo = (query: URLSearchParams) => {
  const items = people.filter(({ state }) => [null, state as string].includes(query.get("state")));
  return { items, total: items.length };
};

const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });

beforeEach(() => {
  useChatPanel.setState({ open: false, chatId: undefined });
  signIn(["team.manage"]);
  server.on("GET /api/team", ({ query }) => answerTo(query));
  server.on("GET /api/team/u2/sessions", () => ({
    items: [
      {
        id: "s1",
        createdAt: "",
        lastSeenAt: "2026-11-20T10:00:00Z",
        device: "Mozilla/5.0 (X11; Linux) Firefox/140.0",
        address: "10.0.0.7",
      },
    ],
  }));
});

test("an administrator can suspend a member but not the owner", async () => {
  renderApp(<TeamPage />, { path: "/team/list?member=u3" });
  const card = await screen.findByRole("dialog", { name: "Ada Owner" });
  expect(within(card).queryByRole("button", { name: "Suspend" })).toBeNull();
  await userEvent.click(within(card).getByRole("button", { name: "Close" }));
  await userEvent.click(screen.getAllByRole("link", { name: "José Núñez" })[0] as HTMLElement);
  expect(await screen.findByRole("button", { name: "Suspend" })).toBeVisible();
});

test("a member without permission to manage the team sees no Suspend button", async () => {
  signIn([]);
  renderApp(<TeamPage />, { path: "/team/list?member=u2" });
  const card = await screen.findByRole("dialog", { name: "José Núñez" });
  expect(within(card).queryByRole("button", { name: "Suspend" })).toBeNull();
  expect(within(card).getByRole("button", { name: "Message" })).toBeVisible();
});

test("Message opens the conversation", async () => {
  server.on("POST /api/apps/chat/chat", () => ({
    id: "k1",
    contactId: "u2",
    unreadCount: 0,
    muted: false,
    contact: { name: "José Núñez" },
  }));
  renderApp(<TeamPage />, { path: "/team/list?member=u2" });
  await userEvent.click(await screen.findByRole("button", { name: "Message" }));
  await expect.poll(() => useChatPanel.getState()).toEqual({ open: true, chatId: "k1" });
});

test("shows a server error for a new member at its field", async () => {
  server.on(
    "POST /api/team",
    () => new Answer(422, { error: { code: "invalid", message: "No", fields: { email: "This is already in use. Choose another." } } }),
  );
  renderApp(<TeamPage />, { path: "/team/list" });
  await userEvent.click(await screen.findByRole("button", { name: "Invite people" }));
  await userEvent.click(await screen.findByRole("button", { name: "Add with a password" }));
  const form = await screen.findByRole("dialog", { name: "Add member" });
  await userEvent.type(within(form).getByLabelText(/Name/), "Ana");
  await userEvent.type(within(form).getByLabelText(/Email/), "ana@northwind.example");
  await userEvent.click(within(form).getByRole("button", { name: "Add member" }));
  expect(await within(form).findByText("This is already in use. Choose another.")).toBeVisible();
  expect(server.sent("POST /api/team")[0]?.body).toMatchObject({ name: "Ana", email: "ana@northwind.example", role: "member" });
});

const openInvite = async () => {
  renderApp(<TeamPage />, { path: "/team/list" });
  await screen.findAllByText("José Núñez");
  await userEvent.click(screen.getByRole("button", { name: "Invite people" }));
  return within(await screen.findByRole("dialog", { name: "Invite people" }));
};

test("focuses the address field when an invitation has no address", async () => {
  const dialog = await openInvite();
  await userEvent.click(dialog.getByRole("button", { name: "Send invitation" }));
  const field = dialog.getByRole("textbox", { name: /Email addresses/ });
  expect(field).toHaveFocus();
  expect(field).toBeInvalid();
});

test("accepts several pasted addresses, and shows what is wrong with the invalid ones", async () => {
  server.on("POST /api/team/invitations", ({ body }) => ({
    items: (body as { people: { email: string }[] }).people.map(({ email }) => ({ email, status: "invited" })),
  }));
  const dialog = await openInvite();
  await userEvent.click(dialog.getByRole("textbox", { name: /Email addresses/ }));
  await userEvent.paste("Li Wei <li@new.example>; u2@northwind.example\nnobody, u4@northwind.example");
  const chips = within(dialog.getByRole("list")).getAllByRole("listitem");
  expect(chips.map((chip) => chip.textContent)).toEqual([
    "Li Wei li@new.example",
    "u2@northwind.example · on the team already",
    "nobody · not a valid email address",
    "u4@northwind.example",
  ]);
  await userEvent.click(dialog.getByRole("radio", { name: /Viewer/ }));
  await userEvent.click(dialog.getByRole("button", { name: "Send 2 invitations" }));
  const results = within(await screen.findByRole("dialog", { name: "Invitations" }));
  expect(results.getByRole("status")).toHaveTextContent("2 people invited.");
  // Addresses that were not sent are kept.
  expect(results.getAllByRole("listitem").map((item) => item.textContent)).toEqual([
    "li@new.exampleInvited",
    "u4@northwind.exampleInvited",
    "u2@northwind.exampleOn the team already",
    "nobodyNot a valid email address",
  ]);
  expect(server.sent("POST /api/team/invitations")[0]?.body).toEqual({
    people: [{ email: "li@new.example", name: "Li Wei" }, { email: "u4@northwind.example" }],
    role: "viewer",
  });
});

test("without a mail server, invitations show links to copy one by one or all at once", async () => {
  signIn(["team.manage", "settings.company"]);
  server.on("GET /api/settings/company/mail", () => ({ configured: false }));
  server.on("POST /api/team/invitations", () => ({
    items: [
      { email: "li@new.example", status: "invited", id: "u8", link: "/activate-account#ab12" },
      { email: "ben@new.example", status: "invited", id: "u9", link: "/activate-account#ef56" },
      { email: "u2@northwind.example", status: "already_member", id: "u2" },
    ],
  }));
  const written = vi.spyOn(navigator.clipboard, "writeText").mockResolvedValue();
  const dialog = await openInvite();
  expect(await dialog.findByText(/You’ll get links to copy/)).toBeVisible();
  expect(dialog.queryByLabelText(/Personal message/)).toBeNull();
  await userEvent.type(dialog.getByRole("textbox", { name: /Email addresses/ }), "li@new.example Ben Stone <ben@new.example> ");
  await userEvent.click(dialog.getByRole("button", { name: "Create 2 invitations" }));
  const results = within(await screen.findByRole("dialog", { name: "Invitations" }));
  expect(results.getByText("Email is not set up. Copy these links.")).toBeVisible();
  const link = (token: string) => `${location.origin}/activate-account#${token}`;
  expect(results.getByLabelText("Invitation link for li@new.example")).toHaveValue(link("ab12"));
  await userEvent.click(results.getByRole("button", { name: "Copy link for li@new.example" }));
  expect(written).toHaveBeenLastCalledWith(link("ab12"));
  expect(results.queryByLabelText("Invitation link for u2@northwind.example")).toBeNull();
  await userEvent.click(results.getByRole("button", { name: "Copy all links" }));
  expect(written).toHaveBeenLastCalledWith(`li@new.example ${link("ab12")}\nben@new.example ${link("ef56")}`);
  const sent = server.sent("POST /api/team/invitations")[0]?.body;
  expect(sent).toEqual({ people: [{ email: "li@new.example" }, { email: "ben@new.example", name: "Ben Stone" }], role: "member" });
});

test("without a mail server, shows a new link for an invited member", async () => {
  signIn(["team.manage", "settings.company"]);
  server.on("GET /api/settings/company/mail", () => ({ configured: false }));
  server.on("POST /api/team/u4/invitation-link", () => ({ link: "/activate-account#cd34" }));
  renderApp(<TeamPage />, { path: "/team/list" });
  await userEvent.click(await screen.findByRole("button", { name: "Get invitation link for u4@northwind.example" }));
  const dialog = within(await screen.findByRole("dialog", { name: "Invitation link" }));
  expect(dialog.getByLabelText("Invitation link for u4@northwind.example")).toHaveValue(`${location.origin}/activate-account#cd34`);
  await userEvent.click(dialog.getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(server.sent("POST /api/team/u4/resend-invitation")).toHaveLength(0);
});

test("without a mail server, creates a password link for an active colleague", async () => {
  signIn(["team.manage", "settings.company"]);
  server.on("GET /api/settings/company/mail", () => ({ configured: false }));
  server.on("POST /api/team/u2/password-link", () => ({ link: "/reset-password#secret" }));
  renderApp(<TeamPage />, { path: "/team/list?member=u2" });
  await userEvent.click(await screen.findByRole("button", { name: "Create password link" }));
  const dialog = await screen.findByRole("dialog", { name: "Password link" });
  const link = within(dialog).getByRole("textbox", { name: "Password link for u2@northwind.example" });
  expect(link).toHaveValue(`${location.origin}/reset-password#secret`);
});

test("with a mail server, colleagues get no password links", async () => {
  signIn(["team.manage", "settings.company"]);
  server.on("GET /api/settings/company/mail", () => ({ configured: true }));
  renderApp(<TeamPage />, { path: "/team/list?member=u2" });
  expect(await screen.findByRole("button", { name: "End all sessions" })).toBeVisible();
  expect(screen.queryByRole("button", { name: "Create password link" })).toBeNull();
});

test("does not send an invitation without addresses, and Backspace removes the last address", async () => {
  const dialog = await openInvite();
  const field = dialog.getByRole("textbox", { name: /Email addresses/ });
  await userEvent.click(dialog.getByRole("button", { name: "Send invitation" }));
  expect(dialog.getByText("Enter at least one email address.")).toBeVisible();
  await userEvent.type(field, "li@new.example ");
  expect(dialog.getAllByRole("listitem")).toHaveLength(1);
  await userEvent.type(field, "{Backspace}");
  expect(dialog.queryAllByRole("listitem")).toHaveLength(0);
  expect(server.sent("POST /api/team/invitations")).toHaveLength(0);
});

test("an invitation is sent again and withdrawn from the card", async () => {
  server.on("POST /api/team/u4/resend-invitation", () => people[3]);
  server.on("DELETE /api/team/u4", () => new Answer(204));
  renderApp(<TeamPage />, { path: "/team/list?member=u4" });
  const card = within(await screen.findByRole("dialog", { name: "ida" }));
  expect(card.queryByRole("button", { name: "Suspend" })).toBeNull();
  await userEvent.click(card.getByRole("button", { name: "Send again" }));
  await expect.poll(() => server.sent("POST /api/team/u4/resend-invitation")).toHaveLength(1);
  await userEvent.click(card.getByRole("button", { name: "Withdraw invitation" }));
  const sure = within(await screen.findByRole("alertdialog"));
  expect(sure.getByText("The invitation link stops working immediately.")).toBeVisible();
  await userEvent.click(sure.getByRole("button", { name: "Withdraw invitation" }));
  await expect.poll(() => server.sent("DELETE /api/team/u4")).toHaveLength(1);
});

test("a member who manages the team sees a colleague's sessions and ends them", async () => {
  server.on("DELETE /api/team/u2/sessions", () => new Answer(204));
  renderApp(<TeamPage />, { path: "/team/list?member=u2" });
  const card = within(await screen.findByRole("dialog", { name: "José Núñez" }));
  expect(await card.findByText("Firefox on Linux")).toBeVisible();
  await userEvent.click(card.getByRole("button", { name: "End all sessions" }));
  await userEvent.click(within(await screen.findByRole("alertdialog")).getByRole("button", { name: "End all sessions" }));
  await expect.poll(() => server.sent("DELETE /api/team/u2/sessions")).toHaveLength(1);
});

test("shows the number of people found instead of the team size in a search", async () => {
  server.on("GET /api/team", ({ query }) => (query.get("q") ? { items: people.slice(0, 1), total: 1 } : answerTo(query)));
  const all = renderApp(<TeamPage />, { path: "/team/list" });
  expect(await screen.findByText("3 people in your company · 1 invited")).toBeVisible();
  all.unmount();
  renderApp(<TeamPage />, { path: "/team/list?q=mira" });
  expect(await screen.findByText("1 person found")).toBeVisible();
});

// A count says what it counts: people who were only invited, or who are suspended, were counted as being in the company
// (F-U14).
test("a company whose only member invited others has one person, and says who is not in it yet", async () => {
  const counts: Record<string, number> = { active: 1, invited: 2, unconfirmed: 1, suspended: 3 };
  server.on("GET /api/team", ({ query }) => ({ items: people.slice(0, 1), total: counts[query.get("state") ?? ""] ?? 7 }));
  renderApp(<TeamPage />, { path: "/team/list" });
  expect(await screen.findByText("1 person in your company · 2 invited · 1 unconfirmed · 3 suspended")).toBeVisible();
});

test("states in which nobody is are not named", async () => {
  server.on("GET /api/team", ({ query }) => ({ items: people.slice(0, 1), total: query.get("state") === "active" ? 1 : 0 }));
  renderApp(<TeamPage />, { path: "/team/list" });
  expect(await screen.findByText("1 person in your company")).toBeVisible();
});
