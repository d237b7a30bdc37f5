import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { accept, useSession } from "@/api/session";
import { stayActive } from "@/lib/activity";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { IdleGuard } from "./idle-guard";

const server = standInServer();
const replace = vi.fn();
const minutes = (count: number) => act(() => vi.advanceTimersByTimeAsync(count * 60_000));

beforeEach(async () => {
  await import("./idle-warning");
  vi.useFakeTimers();
  stayActive();
  vi.spyOn(location, "replace").mockImplementation(replace);
  replace.mockClear();
  server.on("POST /api/auth/lock-session", () => new Answer(204));
});
afterEach(() => {
  vi.useRealTimers();
  document.body.hidden = false;
});

function open(idleMinutes: number) {
  accept({ ...signedIn(86_400), user: { ...mira, customer: { ...mira.customer, idleMinutes } } });
  renderApp(<IdleGuard />);
}

it("never locks without a company idle limit", async () => {
  open(0);
  await minutes(600);
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(server.calls).toEqual([]);
});

it("warns a minute before locking, and Keep working postpones the lock", async () => {
  open(30);
  await minutes(28.9);
  expect(screen.queryByRole("alertdialog")).toBeNull();
  await minutes(0.2);
  expect(screen.getByRole("alertdialog", { name: "Your session is about to lock" })).toBeVisible();
  fireEvent.click(screen.getByRole("button", { name: "Keep working" }));
  await minutes(28);
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(server.calls).toEqual([]);
});

// Last, because the page does not come back after it is left.
it("locks once at the limit, even if a key is pressed after it", async () => {
  open(30);
  await minutes(29.99);
  expect(server.calls).toEqual([]);
  await minutes(0.1);
  fireEvent.keyDown(document.body, { key: "a" });
  await minutes(1);
  expect(server.sent("POST /api/auth/lock-session")).toHaveLength(1);
  expect(Number(server.calls[0]?.headers.get("Atrium-Idle"))).toBeGreaterThanOrEqual(1800);
  expect(replace).toHaveBeenCalledOnce();
  expect(useSession.getState().state).toBe("locked");
});
