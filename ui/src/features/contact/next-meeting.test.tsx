import { screen, within } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import type { CalendarEvent } from "@/api/schema";
import { accept } from "@/api/session";
import { addDays, isoDay, setTimeZone } from "@/lib/zone";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { NextMeeting } from "./next-meeting";

const server = standInServer();
const signIn = (permissions: string[]) => accept({ ...signedIn(), user: { ...mira, permissions } });
const day = (days: number) => addDays(isoDay(), days);
const makeEvent = (id: string, start: string, more: Partial<CalendarEvent> = {}): CalendarEvent => ({
  id,
  version: 1,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  title: `Event ${id}`,
  allDay: false,
  start,
  end: start,
  attendees: [{ customerId: "c1" }],
  reminders: [],
  fields: {},
  ...more,
});
const person = { kind: "customer", id: "c1", name: "Ana López" } as const;
const region = async () => within(await screen.findByRole("region", { name: "Next meeting" }));

beforeEach(() => {
  setTimeZone("UTC");
  signIn(["events.read", "events.write", "customers.read"]);
});

test("the next one that is not over is shown, also of a repeating event", async () => {
  const series = makeEvent("s1", `${day(-30)}T09:00:00.000Z`, { recurrence: "FREQ=WEEKLY", location: "Hall 7" });
  const single = [makeEvent("e1", `${day(-1)}T09:00:00.000Z`), makeEvent("e2", `${day(3)}T09:00:00.000Z`)];
  server.on("GET /api/events/records", ({ query }) => ({
    items: query.getAll("filter").includes("recurring:is:true") ? [series] : single,
    total: 2,
  }));
  const occurrence = (days: number) => ({ ...series, eventId: "s1", occurrence: `${day(days)}T09:00:00.000Z`, ...times(days) });
  const times = (days: number) => ({ start: `${day(days)}T09:00:00.000Z`, end: `${day(days)}T10:00:00.000Z` });
  const other = { ...makeEvent("x", `${day(1)}T08:00:00.000Z`), eventId: "x", occurrence: `${day(1)}T08:00:00.000Z` };
  server.on("GET /api/events", () => ({ items: [other, occurrence(2), occurrence(9)] }));
  renderApp(<NextMeeting record={person} attendee={person} />);
  const link = await (await region()).findByRole("link", { name: /Event s1/ });
  expect(link).toHaveAttribute("href", `/events/s1?on=${encodeURIComponent(`${day(2)}T09:00:00.000Z`)}`);
  expect(link).toHaveTextContent("Hall 7");
  expect((await region()).getByRole("link", { name: "Add event" })).toHaveAttribute("href", "/events/new?person=c1");
});

test("an organization has the meetings of its people; without any, one can be added", async () => {
  server.on("GET /api/customers", () => ({ items: [{ id: "c1" }, { id: "c2" }], total: 2 }));
  server.on("GET /api/events/records", () => ({ items: [], total: 0 }));
  const organization = { kind: "organization", id: "o1", name: "Acme" } as const;
  const { unmount } = renderApp(<NextMeeting record={organization} attendee={organization} />);
  expect(await (await region()).findByText("Nothing planned yet.")).toBeVisible();
  expect(server.sent("GET /api/events/records")[0]?.query.getAll("filter")).toContain("customerId:is:c1,c2");
  expect((await region()).getByRole("link", { name: "Add event" })).toHaveAttribute("href", "/events/new?link=organization%3Ao1");
  unmount();
  signIn(["events.read"]);
  renderApp(<NextMeeting record={organization} attendee={organization} />);
  expect(screen.queryByRole("region")).toBeNull();
});
