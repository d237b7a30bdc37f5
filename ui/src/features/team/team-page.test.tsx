import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test } from "vitest";
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
const people = [make("u1", "Mira Okafor", "admin"), make("u2", "José Núñez", "member"), make("u3", "Ada Owner", "owner")];

const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });

beforeEach(() => {
  useChatPanel.setState({ open: false, chatId: undefined });
  signIn(["team.manage"]);
  server.on("GET /api/team", () => ({ items: people, total: 3 }));
});

test("an administrator changes who is below the owner, and not the owner", async () => {
  renderApp(<TeamPage />, { path: "/team/list?member=u3" });
  const card = await screen.findByRole("dialog", { name: "Ada Owner" });
  expect(within(card).queryByRole("button", { name: "Suspend" })).toBeNull();
  await userEvent.click(within(card).getByRole("button", { name: "Close" }));
  await userEvent.click(screen.getAllByRole("link", { name: "José Núñez" })[0] as HTMLElement);
  expect(await screen.findByRole("button", { name: "Suspend" })).toBeVisible();
});

test("who may not manage sees no such buttons", async () => {
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

test("what the server refuses about a new member is said at its field", async () => {
  server.on(
    "POST /api/team",
    () => new Answer(422, { error: { code: "invalid", message: "No", fields: { email: "This is already in use." } } }),
  );
  renderApp(<TeamPage />, { path: "/team/list" });
  await userEvent.click(await screen.findByRole("button", { name: "Add member" }));
  const form = await screen.findByRole("dialog", { name: "Add member" });
  await userEvent.type(within(form).getByLabelText(/Name/), "Ana");
  await userEvent.type(within(form).getByLabelText(/Email/), "ana@northwind.example");
  await userEvent.click(within(form).getByRole("button", { name: "Add member" }));
  expect(await within(form).findByText("This is already in use.")).toBeVisible();
  expect(server.sent("POST /api/team")[0]?.body).toMatchObject({ name: "Ana", email: "ana@northwind.example", role: "member" });
});
