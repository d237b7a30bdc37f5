import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { backOff, listen, type News, useLive } from "./live";
import { accept, useSession } from "./session";

const server = standInServer();
let stop: (() => void) | undefined;
let heard: News[];

/** Answers the calls one after the other; what comes later waits. */
function script(...answers: unknown[]) {
  server.on("GET /api/live", () => (answers.length > 0 ? answers.shift() : new Promise(() => undefined)));
}
const asked = () => server.sent("GET /api/live").map(({ query }) => Object.fromEntries(query));
const task = { kind: "task", recordId: "t", version: 2 };

beforeEach(() => {
  vi.useFakeTimers();
  heard = [];
  accept(signedIn());
});
afterEach(() => {
  stop?.();
  vi.useRealTimers();
  useSession.setState({ state: "guest", user: undefined });
});
const start = (from?: number) => {
  stop = listen(from, (news) => heard.push(news));
};

it("asks where the server is, waits from there, and passes on what changed", async () => {
  script({ at: 7, changes: [], resync: false }, { at: 9, changes: [task], resync: false });
  start();
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked()).toEqual([{}, { after: "7", wait: "25" }, { after: "9", wait: "25" }]);
  expect(heard).toEqual([{ changes: [task], resync: false }]);
});

it("says so when more was missed than is remembered", async () => {
  script({ at: 900, changes: [], resync: true });
  start(7);
  await vi.advanceTimersByTimeAsync(1000);
  expect(heard).toEqual([{ changes: [], resync: true }]);
});

it("waits longer after each failure, tells that the server is out of reach, and catches up", async () => {
  const busy = new Answer(503, { error: { code: "busy", message: "Busy" } });
  script(busy, busy, { at: 12, changes: [], resync: false });
  start(7);
  await vi.advanceTimersByTimeAsync(1);
  expect(asked()).toHaveLength(1);
  expect(useLive.getState().reachable).toBe(true);
  await vi.advanceTimersByTimeAsync(1000);
  expect(useLive.getState().reachable).toBe(false);
  expect(asked().at(-1)).toEqual({ after: "7", wait: "0" });
  await vi.advanceTimersByTimeAsync(3000);
  expect(useLive.getState().reachable).toBe(true);
  expect(heard).toEqual([{ changes: [], resync: true }]);
});

it("spreads the pauses, and never pauses longer than half a minute", () => {
  expect([backOff(1, 0), backOff(1, 1), backOff(3, 1), backOff(40, 1)]).toEqual([500, 1000, 4000, 30_000]);
});

it("asks nothing while the page is out of sight, and goes on from where it was", async () => {
  const sight = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  script();
  start(7);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toEqual([]);
  sight.mockReturnValue("visible");
  document.dispatchEvent(new Event("visibilitychange"));
  await vi.advanceTimersByTimeAsync(1);
  expect(asked()).toEqual([{ after: "7", wait: "25" }]);
});

it("asks nothing more once one stops listening", async () => {
  script({ at: 8, changes: [task], resync: false });
  start(7);
  await vi.advanceTimersByTimeAsync(1);
  stop?.();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toHaveLength(1);
});
