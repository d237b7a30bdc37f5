import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { fakeSockets, taskChanged } from "@/test/socket";
import type { ServerFrame } from "../schema";
import * as sessions from "../session";
import { backoffDelay } from "./backoff";
import { openConnection, type RealtimeConnection } from "./connection";

const server = standInServer();
const sockets = fakeSockets();
let line: RealtimeConnection | undefined;
let heard: ServerFrame[];
let reachable: boolean[];
const opened = vi.fn();

const later = (milliseconds = 1) => vi.advanceTimersByTimeAsync(milliseconds);
const asked = () => server.sent("GET /api/live").map(({ query }) => Object.fromEntries(query));
const start = (after?: number, pauseWhenHidden = false) => {
  line = openConnection({
    after,
    onFrame: (frame) => heard.push(frame),
    onReachable: (yes) => reachable.push(yes),
    onOpen: opened,
    pauseWhenHidden,
  });
};
const nothing = (at: number) => ({ at, frames: [], resync: false });

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0);
  heard = [];
  reachable = [];
  opened.mockClear();
  sessions.accept(signedIn(86_400));
  server.on("POST /api/auth/socket-ticket", () => ({ ticket: "abc", expiresAt: "" }));
});
afterEach(() => {
  line?.close();
  vi.useRealTimers();
  sessions.useSession.setState({ state: "guest", user: undefined });
});

it("opens a socket at its position with the ticket outside the URL, and passes frames on", async () => {
  start(7);
  await later();
  const socket = sockets.last();
  expect(socket.protocols).toEqual(["atrium.v1", "ticket.abc"]);
  expect(socket.url.href).toBe("ws://atrium.example/api/socket?after=7");
  socket.greets(7);
  socket.says(taskChanged(8), taskChanged(9));
  expect(heard).toEqual([taskChanged(8), taskChanged(9)]);
  expect([opened.mock.calls.length, reachable]).toEqual([1, [true]]);
  line?.sendFrame({ type: "activity", data: { idle: true } });
  expect(socket.said).toEqual([{ type: "activity", data: { idle: true } }]);
});

it("reconnects from the last frame, and resyncs when the server cannot resume from it", async () => {
  start(7);
  await later();
  sockets.last().greets(7);
  sockets.last().says(taskChanged(9));
  sockets.last().ends();
  await later(1000);
  expect(sockets.last().url.search).toBe("?after=9");
  sockets.last().greets(900, false);
  expect(heard.at(-1)).toEqual({ type: "resync", id: 900, data: {} });
  sockets.last().ends();
  await later(2000);
  expect(sockets.last().url.search).toBe("?after=900");
});

it("reports the server unreachable after the second failure, and retries at once when online", async () => {
  start(7);
  await later();
  sockets.last().greets(7);
  server.on("POST /api/auth/socket-ticket", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
  sockets.last().ends();
  await later(1100);
  expect(reachable.slice(0, 2)).toEqual([true, false]);
  server.on("POST /api/auth/socket-ticket", () => ({ ticket: "abc", expiresAt: "" }));
  vi.mocked(Math.random).mockReturnValue(1);
  dispatchEvent(new Event("online"));
  await later();
  sockets.last().greets(7);
  expect(reachable.at(-1)).toBe(true);
});

it("falls back to long polling when two sockets close before a greeting, and tries a socket again later", async () => {
  const answers: unknown[] = [{ at: 9, frames: [taskChanged(9)], resync: false, moment: 3 }];
  server.on("GET /api/live", () => answers.shift() ?? new Promise((done) => setTimeout(() => done(nothing(9)), 25_000)));
  start(7);
  await later();
  sockets.last().ends();
  await later(1000);
  sockets.last().ends();
  await later();
  expect(sockets.all()).toHaveLength(2);
  expect(asked()).toEqual([
    { after: "7", wait: "25" },
    { after: "9", wait: "25", moment: "3" },
  ]);
  expect(heard).toEqual([taskChanged(9)]);
  expect(reachable).toEqual([true]);
  await later(5 * 60_000 + 40_000);
  expect(sockets.all()).toHaveLength(3);
  expect(sockets.last().url.search).toBe("?after=9");
});

it("falls back to long polling when no greeting arrives", async () => {
  server.on("GET /api/live", () => new Promise(() => undefined));
  start(7);
  await later(22_000);
  expect(sockets.all()).toHaveLength(2);
  expect(sockets.all().every(({ closed }) => closed)).toBe(true);
  expect(asked()).toHaveLength(1);
});

it("checks a silent socket by a poll, and opens another if frames were missed", async () => {
  server.on("GET /api/live", () => nothing(7));
  start(7);
  await later();
  sockets.last().greets(7);
  await later(41_000);
  expect(asked()).toEqual([{ after: "7", wait: "0" }]);
  expect(sockets.all()).toHaveLength(1);
  server.on("GET /api/live", () => ({ at: 8, frames: [taskChanged(8)], resync: false }));
  await later(45_000);
  expect(sockets.all()).toHaveLength(2);
  expect(heard).toEqual([]);
});

it("does not count presence frames as missed on a silent socket", async () => {
  const present: ServerFrame = { type: "presence.all", id: 12, data: { members: [] } };
  server.on("GET /api/live", () => ({ at: 12, frames: [present], resync: false }));
  start(7);
  await later();
  sockets.last().greets(7);
  await later(120_000);
  expect(sockets.all()).toHaveLength(1);
});

it("reconnects soon after a server restart without reporting it unreachable", async () => {
  start(7);
  await later();
  sockets.last().greets(7);
  await later(20_000);
  sockets.last().ends(1012);
  await later(1000);
  expect(sockets.all()).toHaveLength(2);
  expect(reachable).toEqual([true]);
});

it.each([
  [4401, "reloadSignedOut"],
  [4423, "showLockScreen"],
] as const)("handles a close with %i like a rejected request", async (code, does) => {
  const spy = vi.spyOn(sessions, does).mockReturnValue(undefined as never);
  start(7);
  await later();
  sockets.last().greets(7);
  sockets.last().ends(code);
  await later(60_000);
  expect(spy).toHaveBeenCalledOnce();
  expect(sockets.all()).toHaveLength(1);
});

it("backs off randomly between half a second and 30 seconds, longer after each failure", () => {
  expect([backoffDelay(1, 0), backoffDelay(1, 1), backoffDelay(3, 1), backoffDelay(40, 1)]).toEqual([500, 1000, 4000, 30_000]);
});

it("opens no socket after it is closed", async () => {
  start(7);
  await later();
  sockets.last().greets(7);
  line?.close();
  await later(60_000);
  expect(sockets.last().closed).toBe(true);
  expect(sockets.all()).toHaveLength(1);
});
