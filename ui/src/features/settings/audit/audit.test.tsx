import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { accept, useSession } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { AuditSection } from "./audit-section";

const server = standInServer();
const who = { kind: "member", id: "u1", name: "Mira Okafor", former: false };
const about = { kind: "member", id: "u2", name: "José Núñez" };
const entries = [
  {
    id: "e1",
    at: "2026-11-21T09:30:00Z",
    event: "member.role",
    actor: who,
    about,
    facts: [
      { name: "was", value: "viewer" },
      { name: "role", value: "admin" },
    ],
    address: "10.0.0.7",
  },
  { id: "e2", at: "2026-11-21T09:00:00Z", event: "session.ended", actor: who, about: { ...about, id: "u1" }, facts: [] },
  {
    id: "e3",
    at: "2026-11-20T09:00:00Z",
    event: "company.changed",
    actor: { ...who, id: "u9", name: "Ana García", former: true },
    facts: [{ name: "fields", value: "name, idleMinutes" }],
  },
  { id: "e4", at: "2026-11-20T08:00:00Z", event: "operator.user_suspend", actor: { kind: "operator", former: false }, about, facts: [] },
  {
    id: "e5",
    at: "2026-11-20T07:00:00Z",
    event: "something.newer",
    actor: { kind: "system", former: false },
    facts: [{ name: "odd", value: "as it came" }],
  },
  {
    id: "e6",
    at: "2026-11-20T06:00:00Z",
    event: "operator.restore",
    actor: { kind: "operator", former: false },
    facts: [{ name: "moment", value: "2026-11-19T09:00:00.000Z" }],
  },
  {
    id: "e7",
    at: "2026-11-20T05:00:00Z",
    event: "customer_statuses.retention",
    actor: who,
    facts: [
      { name: "status", value: "Inactive" },
      { name: "monthsBefore", value: "0" },
      { name: "months", value: "24" },
    ],
  },
  {
    id: "e8",
    at: "2026-11-20T04:00:00Z",
    event: "person.binned_by_retention",
    actor: { kind: "system", former: false },
    facts: [
      { name: "people", value: "Inactive: 3" },
      { name: "people", value: "Lead: 1" },
    ],
  },
];

beforeEach(() => {
  accept(signedIn());
  useSession.setState({ state: "signed-in", user: { ...mira, permissions: ["audit.read"] } });
  server.on("GET /api/audit", () => ({ items: entries, total: 5 }));
  server.on("GET /api/team", () => ({ items: [{ id: "u1", name: "Mira Okafor" }], total: 1 }));
});

it("shows each entry as a sentence under its day", async () => {
  renderApp(<AuditSection />);
  expect(await screen.findByRole("region", { name: /November 21, 2026/ })).toBeVisible();
  const rows = screen.getAllByRole("listitem").map((row) => row.querySelector("p")?.textContent);
  expect(rows).toEqual([
    "Mira Okafor changed the role of José Núñez",
    "Mira Okafor ended a session of their own account",
    "Ana García (former member) changed the company’s settings",
    "The server administrator suspended José Núñez",
    "Atrium something.newer",
    "The server administrator restored the server from a backup",
    "Mira Okafor changed how long customers with a status are kept",
    "Atrium moved people to the trash because of the retention of their status",
  ]);
  expect(screen.getByText("Viewer → Administrator")).toBeVisible();
  expect(screen.getByText("name, idle limit")).toBeVisible();
  expect(screen.getByText("as it came")).toBeVisible();
  expect(screen.getByText("Inactive: no limit → 24 months")).toBeVisible();
  expect(screen.getByText("Inactive: 3 · Lead: 1")).toBeVisible();
  expect(screen.getByText(/^as of Nov 19, 2026, /)).toBeVisible();
  expect(screen.getByText("10.0.0.7")).toBeVisible();
});

it("filters by person, kind and day", async () => {
  renderApp(<AuditSection />, { path: "/settings/audit?member=u1&day=2026-11-20" });
  await screen.findAllByRole("listitem");
  const first = server.sent("GET /api/audit")[0]?.query;
  expect([first?.get("member"), first?.get("from"), first?.get("to")]).toEqual([
    "u1",
    expect.stringContaining("2026-11-"),
    expect.stringContaining("2026-11-"),
  ]);
  await userEvent.click(screen.getByRole("button", { name: "Kind" }));
  await userEvent.click(within(await screen.findByRole("menu")).getByRole("menuitemradio", { name: "Team" }));
  await waitFor(() => expect(server.sent("GET /api/audit").at(-1)?.query.get("event")).toBe("member"));
});

it("ignores a kind and a day that do not exist", async () => {
  renderApp(<AuditSection />, { path: "/settings/audit?event=colour&day=2026-13-01" });
  await screen.findAllByRole("listitem");
  expect(Object.fromEntries(server.sent("GET /api/audit")[0]?.query ?? [])).toEqual({ limit: "50" });
});

it("says when it is empty, and that it is for administrators only", async () => {
  server.on("GET /api/audit", () => ({ items: [], total: 0 }));
  const { unmount } = renderApp(<AuditSection />);
  expect(await screen.findByText("No activity yet")).toBeVisible();
  unmount();
  useSession.setState({ user: { ...mira, permissions: [] } });
  renderApp(<AuditSection />);
  expect(await screen.findByText("For administrators only")).toBeVisible();
});
