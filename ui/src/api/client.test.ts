import { beforeEach, describe, expect, it, vi } from "vitest";
import { useLoading } from "@/lib/loading";
import { signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { api, ifMatch } from "./client";
import { ApiError, errorText, fieldError } from "./errors";
import type { Task, Upload } from "./schema";

const server = standInServer();
const reload = vi.fn();

/** Imports the modules again, because they keep the session in memory. */
async function fresh() {
  vi.resetModules();
  const session = await import("./session");
  const { request } = await import("./request");
  const errors = await import("./errors");
  return { session, request, errors };
}

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  // Each copy of the modules would count as one more listening tab.
  vi.stubGlobal("BroadcastChannel", undefined);
  reload.mockClear();
  vi.spyOn(location, "reload").mockImplementation(reload);
});

describe("a request", () => {
  it("sends no bearer header for a guest, and one with a valid token", async () => {
    const { session, request } = await fresh();
    server.on("GET /api/x", () => ({ ok: true }));
    await session.whenSessionKnown();
    await request("GET", "/api/x");
    expect(server.sent("GET /api/x")[0]?.headers.get("Authorization")).toBeNull();
    const grant = signedIn();
    session.accept(grant);
    await request("GET", "/api/x");
    expect(server.sent("GET /api/x")[1]?.headers.get("Authorization")).toBe(`Bearer ${grant.accessToken}`);
  });

  it("outlives its page if asked to and its body is small enough", async () => {
    const { request } = await fresh();
    server.on("PATCH /api/x", () => 1);
    const requests = vi.spyOn(globalThis, "fetch");
    await request("PATCH", "/api/x", { text: "ñ".repeat(20_000) }, { keepalive: true });
    await request("PATCH", "/api/x", { text: "ñ".repeat(40_000) }, { keepalive: true });
    await request("PATCH", "/api/x", { text: "" });
    expect(requests.mock.calls.map(([, init]) => init?.keepalive)).toEqual([true, false, false]);
  });

  it("renews an expired token before sending", async () => {
    const { session, request } = await fresh();
    const now = performance.now();
    const clock = vi.spyOn(performance, "now").mockReturnValue(now);
    session.accept(signedIn(300, "old"));
    const next = signedIn(300, "new");
    server.on("POST /api/auth/refresh", () => next);
    server.on("GET /api/x", () => 1);
    clock.mockReturnValue(now + 300_001);
    await request("GET", "/api/x");
    expect(server.calls.map(({ path }) => path)).toEqual(["/api/auth/refresh", "/api/x"]);
    expect(server.calls[1]?.headers.get("Authorization")).toBe(`Bearer ${next.accessToken}`);
  });

  it("sends no expired token when the refresh fails", async () => {
    const { session, request } = await fresh();
    const now = performance.now();
    const clock = vi.spyOn(performance, "now").mockReturnValue(now);
    session.accept(signedIn());
    server.on("POST /api/auth/refresh", () => new Answer(503, { error: { code: "busy", message: "Busy" } }));
    server.on("GET /api/x", () => 1);
    clock.mockReturnValue(now + 300_001);
    await expect(request("GET", "/api/x")).rejects.toMatchObject({ code: "unreachable" });
    expect(server.sent("GET /api/x")).toEqual([]);
  });

  it("unwraps data, and leaves other bodies as they are", async () => {
    const { request } = await fresh();
    server.on("GET /api/wrapped", () => ({ data: [1, 2] }));
    server.on("GET /api/bare", () => ({ items: [1, 2] }));
    server.on("DELETE /api/gone", () => new Answer(204));
    expect(await request("GET", "/api/wrapped")).toEqual([1, 2]);
    expect(await request("GET", "/api/bare")).toEqual({ items: [1, 2] });
    expect(await request("DELETE", "/api/gone")).toBeUndefined();
  });

  it("omits undefined and empty query values", async () => {
    const { request } = await fresh();
    server.on("GET /api/list", () => []);
    await request("GET", "/api/list", undefined, { query: { q: "a b", cursor: undefined, tag: "", limit: 50, done: false } });
    expect(server.calls[0]?.query.toString()).toBe("q=a+b&limit=50&done=false");
  });

  it("turns an error response into an ApiError with the body's error", async () => {
    const { request, errors } = await fresh();
    const error = {
      code: "invalid",
      message: "Some fields aren’t valid. Correct them and try again.",
      fields: { name: "Too long" },
      requestId: "r",
    };
    server.on("POST /api/x", () => new Answer(422, { error }));
    const caught = await request("POST", "/api/x", {}).catch((thrown: unknown) => thrown);
    expect(caught).toBeInstanceOf(errors.ApiError);
    expect(caught).toMatchObject({ status: 422, code: "invalid", message: error.message, problem: error });
    expect(errors.fieldError(caught, "name")).toBe("Too long");
    expect(errors.errorText(caught)).toBe(error.message);
  });

  it("reports the Retry-After time and an unreachable server", async () => {
    const { request } = await fresh();
    server.on("GET /api/x", () => new Answer(429, { error: { code: "slow_down", message: "Slow down" } }, { "Retry-After": "7" }));
    expect(await request("GET", "/api/x").catch((thrown: unknown) => thrown)).toMatchObject({ retryAfter: 7 });
    server.on("GET /api/x", () => {
      throw new TypeError("Failed to fetch");
    });
    const lost = await request("GET", "/api/x").catch((thrown: unknown) => thrown);
    expect(lost).toMatchObject({ status: 0, code: "unreachable" });
  });

  it("signs out and reloads once on a 401", async () => {
    const { session, request } = await fresh();
    session.accept(signedIn());
    server.on("GET /api/x", () => new Answer(401, { error: { code: "not_signed_in", message: "Sign in" } }));
    server.on("POST /api/auth/sign-out", () => new Answer(204));
    await Promise.allSettled([request("GET", "/api/x"), request("GET", "/api/x")]);
    await vi.waitFor(() => expect(reload).toHaveBeenCalledOnce());
    expect(server.sent("POST /api/auth/sign-out")).toHaveLength(1);
    expect(session.useSession.getState().state).toBe("guest");
  });

  it("aborts pending reads on sign-out, and lets changes finish", async () => {
    const { session, request } = await fresh();
    session.accept(signedIn());
    const signals: (AbortSignal | null | undefined)[] = [];
    vi.stubGlobal("fetch", (_url: string, { signal, method }: RequestInit) => {
      signals.push(signal);
      return new Promise((done, fail) => {
        if (method !== "GET") done(new Response(null, { status: 204 }));
        if (signal?.aborted) fail(signal.reason);
        signal?.addEventListener("abort", () => fail(signal.reason));
      });
    });
    const read = request("GET", "/api/x").catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(signals).toHaveLength(1));
    const late = request("GET", "/api/y").catch((thrown: unknown) => thrown);
    const change = request("POST", "/api/x");
    await session.signOut();
    expect(await read).toMatchObject({ status: 401 });
    expect(await late).toMatchObject({ status: 401 });
    expect(signals[0]?.aborted).toBe(true);
    await expect(change).resolves.toBeUndefined();
    expect(reload).not.toHaveBeenCalled();
  });

  it("aborts a half-received response on sign-out", async () => {
    const { session, request } = await fresh();
    session.accept(signedIn());
    let isReading = () => {};
    const reading = new Promise<void>((done) => (isReading = done));
    vi.stubGlobal("fetch", async (_url: string, { signal, method }: RequestInit) => {
      if (method !== "GET") return new Response(null, { status: 204 });
      const half = new ReadableStream({
        start: (body) => {
          body.enqueue(new TextEncoder().encode("{"));
          signal?.addEventListener("abort", () => body.error(signal.reason));
        },
        // More is asked for once the first part was taken.
        pull: () => isReading(),
      });
      return new Response(half);
    });
    const read = request("GET", "/api/x").catch((thrown: unknown) => thrown);
    await reading;
    await session.signOut();
    expect(await read).toMatchObject({ status: 401 });
  });

  it("redirects to the lock screen once on a 423, with the return address", async () => {
    const replace = vi.spyOn(location, "replace").mockImplementation(() => undefined);
    history.replaceState(null, "", "/tasks/1?a=b#c");
    const { session, request } = await fresh();
    session.accept(signedIn());
    server.on("GET /api/x", () => new Answer(423, { error: { code: "session_locked", message: "Locked" } }));
    await Promise.allSettled([request("GET", "/api/x"), request("GET", "/api/x")]);
    expect(replace.mock.calls).toEqual([[`/unlock-session?redirectURL=${encodeURIComponent("/tasks/1?a=b#c")}`]]);
    expect(session.useSession.getState().state).toBe("locked");
    expect(document.body.hidden).toBe(true);
    document.body.hidden = false;
    history.replaceState(null, "", "/");
  });

  it("redirects to second-factor setup when the server requires one", async () => {
    const replace = vi.spyOn(location, "replace").mockImplementation(() => undefined);
    const { session, request } = await fresh();
    session.accept(signedIn());
    server.on("GET /api/x", () => new Answer(403, { error: { code: "second_factor_required", message: "x" } }));
    await Promise.allSettled([request("GET", "/api/x")]);
    expect(replace.mock.calls).toEqual([[`/secure-account?redirectURL=${encodeURIComponent("/")}`]]);
    document.body.hidden = false;
  });

  it("sends the idle time with a request", async () => {
    const { session, request } = await fresh();
    server.on("GET /api/x", () => 1);
    await session.whenSessionKnown();
    const clock = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 90_000);
    await request("GET", "/api/x");
    clock.mockRestore();
    expect(server.sent("GET /api/x")[0]?.headers.get("Atrium-Idle")).toMatch(/^9[0-9]$/);
  });

  it("does not reload for a guest's 401", async () => {
    const { session, request } = await fresh();
    await session.whenSessionKnown();
    server.on("GET /api/x", () => new Answer(401, { error: { code: "not_signed_in", message: "Sign in" } }));
    await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 401 });
    expect(reload).not.toHaveBeenCalled();
  });

  it("shows the loading bar during a request", async () => {
    const { request } = await fresh();
    const { useLoading: bar } = await import("@/lib/loading");
    let during = false;
    server.on("GET /api/x", () => {
      during = bar.getState().visible;
    });
    await request("GET", "/api/x");
    expect(during).toBe(true);
    expect(bar.getState().visible).toBe(false);
    server.on("GET /api/x", () => new Answer(500, { error: { code: "internal", message: "x" } }));
    await request("GET", "/api/x").catch(() => undefined);
    expect(bar.getState().visible).toBe(false);
    expect(useLoading.getState().visible).toBe(false);
  });
});

describe("the session", () => {
  it("restores the session by a refresh after a reload", async () => {
    localStorage.setItem("atrium.signed-in", "1");
    const { session } = await fresh();
    server.on("POST /api/auth/refresh", () => signedIn());
    await session.whenSessionKnown();
    expect(session.useSession.getState()).toMatchObject({ state: "signed-in", user: { name: "Mira Okafor" } });
    expect(server.sent("POST /api/auth/refresh")[0]?.headers.get("Content-Type")).toBe("application/json");
  });

  it("sends no refresh on a first visit, and forgets an expired session", async () => {
    const first = await fresh();
    await first.session.whenSessionKnown();
    expect(server.calls).toEqual([]);
    localStorage.setItem("atrium.signed-in", "1");
    const { session } = await fresh();
    server.on("POST /api/auth/refresh", () => new Answer(401, { error: { code: "not_signed_in", message: "x" } }));
    await session.whenSessionKnown();
    expect(session.useSession.getState().state).toBe("guest");
    expect(localStorage.getItem("atrium.signed-in")).toBeNull();
    expect(reload).not.toHaveBeenCalled();
  });

  it("starts locked with the member's name and email when the session is locked", async () => {
    localStorage.setItem("atrium.signed-in", "1");
    const who = { name: "Mira Okafor", email: "mira@northwind.example" };
    server.on("POST /api/auth/refresh", () => new Answer(423, { error: { code: "session_locked", message: "x", who } }));
    const { session } = await fresh();
    await session.whenSessionKnown();
    expect(session.useSession.getState()).toMatchObject({ state: "locked", user: undefined, who });
    expect(localStorage.getItem("atrium.signed-in")).toBe("1");
    session.accept(signedIn());
    expect(session.useSession.getState()).toMatchObject({ state: "signed-in", who: undefined });
  });

  it("refreshes at four fifths of the token's lifetime, and once for concurrent calls", async () => {
    vi.useFakeTimers();
    try {
      const { session } = await fresh();
      server.on("POST /api/auth/refresh", () => signedIn(300, "b"));
      session.accept(signedIn(300, "a"));
      await vi.advanceTimersByTimeAsync(239_000);
      expect(server.calls).toHaveLength(0);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(server.calls).toHaveLength(1);
      await Promise.all([session.refresh(), session.refresh(), session.refresh()]);
      expect(server.calls).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it("reads nothing more once its page is being replaced", async () => {
    const { session, request } = await fresh();
    vi.spyOn(location, "replace").mockImplementation(() => undefined);
    session.accept(signedIn());
    session.showLockScreen();
    await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 401 });
    expect(server.calls).toEqual([]);
  });

  it("keeps no token in any storage", async () => {
    const { session } = await fresh();
    const grant = signedIn();
    session.accept(grant);
    const kept = JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie;
    expect(kept).not.toContain(grant.accessToken);
  });

  it("sign-out removes the member's unsent work in all tabs, and keeps that of other members", async () => {
    const channels: { onmessage?: (event: { data: unknown }) => void; said: unknown[] }[] = [];
    class Channel {
      said: unknown[] = [];
      onmessage: (event: { data: unknown }) => void = () => undefined;
      constructor(name: string) {
        if (name === "atrium-session") channels.push(this);
      }
      postMessage(data: unknown) {
        this.said.push(data);
      }
      addEventListener(_type: string, listener: (event: { data: unknown }) => void) {
        this.onmessage = listener;
      }
      removeEventListener() {}
    }
    vi.stubGlobal("BroadcastChannel", Channel);
    const { session } = await fresh();
    server.on("POST /api/auth/sign-out", () => new Answer(204));
    const write = () => {
      sessionStorage.setItem("atrium.draft.u1.message", "1");
      sessionStorage.setItem("atrium.rescue.u1", "1");
      localStorage.setItem("atrium.outgoing.u1.c", "1");
      sessionStorage.setItem("atrium.draft.u2.message", "1");
      sessionStorage.setItem("atrium.draft.u12.message", "1");
    };
    const kept = () =>
      [...Object.keys(sessionStorage), ...Object.keys(localStorage)].filter((key) => /draft|rescue|outgoing/.test(key)).sort();
    session.accept(signedIn());
    write();
    expect(await session.hasUnsentInAnyTab()).toBe(true);
    await session.signOut();
    expect(kept()).toEqual(["atrium.draft.u12.message", "atrium.draft.u2.message"]);
    expect(channels[0]?.said.at(-1)).toEqual({ type: "signed-out", member: "u1" });

    // Another tab of the same member receives it.
    session.accept(signedIn());
    write();
    channels[0]?.onmessage?.({ data: { type: "signed-out", member: "u1" } });
    expect(kept()).toEqual(["atrium.draft.u12.message", "atrium.draft.u2.message"]);
    expect(reload).toHaveBeenCalledOnce();
  });

  it("sends nothing without a token while it cannot be renewed, and stays signed in", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const { session, request } = await fresh();
      session.accept(signedIn());
      server.on("POST /api/auth/refresh", () => new Answer(503, { error: { code: "slow_down", message: "x" } }));
      server.on("POST /api/auth/sign-out", () => new Answer(204));
      server.on("GET /api/x", () => new Answer(401, { error: { code: "not_signed_in", message: "x" } }));
      vi.setSystemTime(Date.now() + 3_600_000);
      await expect(request("GET", "/api/x")).rejects.toMatchObject({ status: 0, code: "unreachable" });
      expect([...server.sent("GET /api/x"), ...server.sent("POST /api/auth/sign-out")]).toEqual([]);
      expect(server.sent("POST /api/auth/refresh")).toHaveLength(1);
      expect(session.useSession.getState().state).toBe("signed-in");
      expect(reload).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps unsent work when the server ends the session", async () => {
    const { session, request } = await fresh();
    session.accept(signedIn());
    sessionStorage.setItem("atrium.draft.u1.message", "1");
    server.on("POST /api/auth/sign-out", () => new Answer(204));
    server.on("GET /api/x", () => new Answer(401, { error: { code: "not_signed_in", message: "x" } }));
    await request("GET", "/api/x").catch(() => undefined);
    expect(sessionStorage.getItem("atrium.draft.u1.message")).toBe("1");
  });

  it("reloads when another member signs in in this browser", async () => {
    const { session } = await fresh();
    session.accept(signedIn());
    const grant = signedIn();
    session.accept({ ...grant, user: { ...grant.user, id: "u2" } });
    expect(reload).toHaveBeenCalledOnce();
    expect(session.useSession.getState().user?.id).toBe("u1");
    expect(document.body.hidden).toBe(true);
    document.body.hidden = false;
  });

  it("signs out in the browser and on the server", async () => {
    const { session } = await fresh();
    const grant = signedIn();
    session.accept(grant);
    server.on("POST /api/auth/sign-out", () => new Answer(204));
    await session.signOut();
    expect(server.calls[0]?.headers.get("Authorization")).toBe(`Bearer ${grant.accessToken}`);
    expect(server.calls[0]?.headers.get("Atrium-Idle")).toMatch(/^\d+$/);
    expect(await session.bearerToken()).toBeUndefined();
  });
});

it("has texts for unexpected errors and an unreachable server", () => {
  expect(errorText(new Error("x"))).toMatch(/went wrong/);
  expect(errorText(new ApiError(0, { code: "unreachable" }))).toMatch(/can’t be reached/);
  expect(fieldError(new ApiError(422, { code: "invalid", fields: { a: "b" } }), "c")).toBeUndefined();
});

describe("the client", () => {
  it("puts parameters into the path, the query and the headers", async () => {
    server.on("PATCH /api/events/a%2F..%3Fb", () => ({}));
    const options = { path: { id: "a/..?b" }, query: { occurrence: "2026-12-31", scope: "all" }, header: ifMatch(3) } as const;
    await api.patch("/api/events/{id}", { title: "Review" }, options);
    const call = server.calls[0];
    expect(call?.query.toString()).toBe("occurrence=2026-12-31&scope=all");
    expect(call?.headers.get("If-Match")).toBe('"3"');
    expect(call?.body).toEqual({ title: "Review" });
  });

  it("repeats a parameter with several values", async () => {
    server.on("GET /api/customers", () => ({ items: [], total: 0 }));
    await api.get("/api/customers", { query: { filter: ["status:is:lead,active", "tags:is:a\\,b"], sort: "-fields.budget", q: "" } });
    await api.get("/api/customers", { query: { filter: [] } });
    const [first, second] = server.calls;
    expect(first?.query.getAll("filter")).toEqual(["status:is:lead,active", "tags:is:a\\,b"]);
    expect([...(first?.query.keys() ?? [])]).toEqual(["filter", "filter", "sort"]);
    expect(second?.query.size).toBe(0);
  });

  it("leaves out headers without a value", async () => {
    server.on("PATCH /api/tasks/t1", () => ({}));
    await api.patch("/api/tasks/{id}", {}, { path: { id: "t1" }, header: ifMatch(undefined) });
    expect(server.calls[0]?.headers.has("If-Match")).toBe(false);
  });

  it("sends an empty object for a call without a body", async () => {
    server.on("POST /api/auth/lock-session", () => new Answer(204));
    expect(await api.post("/api/auth/lock-session")).toBeUndefined();
    expect(server.calls[0]?.body).toEqual({});
  });

  it("does not compile calls that the API document lacks", () => {
    const rejected = [
      // @ts-expect-error: unknown path
      () => api.get("/api/nothing"),
      // @ts-expect-error: the path has no such method
      () => api.put("/api/tasks", { title: "A" }),
      // @ts-expect-error: the id is missing
      () => api.get("/api/tasks/{id}"),
      // @ts-expect-error: the path has no parameters
      () => api.get("/api/tasks", { path: { id: "t1" } }),
      // @ts-expect-error: unknown value of an enumeration
      () => api.get("/api/tasks", { query: { due: "colour" } }),
      // @ts-expect-error: unknown parameter
      () => api.get("/api/tasks", { query: { colour: "red" } }),
      // @ts-expect-error: a required parameter is missing
      () => api.get("/api/apps/chat/chat", { query: { id: undefined } }),
      // @ts-expect-error: the call takes no such header
      () => api.get("/api/tasks/{id}", { path: { id: "t1" }, header: ifMatch(1) }),
      // @ts-expect-error: the title is missing
      () => api.post("/api/tasks", { notes: "A" }),
      // @ts-expect-error: unknown member
      () => api.post("/api/tasks", { title: "A", colour: "red" }),
      // @ts-expect-error: the call takes no body
      () => api.post("/api/auth/lock-session", { password: "A" }),
      // @ts-expect-error: the call takes a form
      () => api.post("/api/files", { file: "A" }),
    ];
    expect(rejected).toHaveLength(12);
  });

  it("types inputs and results by the API document", () => {
    const accepted = async (file: FormData): Promise<[Task, undefined, boolean, Upload]> => [
      // Members with a default may be left out, also within a list.
      await api.post("/api/tasks", { title: "A", subtasks: [{ title: "B" }], dueDate: undefined }),
      await api.delete("/api/tasks/{id}", { path: { id: "t1" } }),
      await api.get("/api/common/messages/mark-all-as-read"),
      await api.post("/api/files", file, { header: { "Idempotency-Key": "k1" } }),
    ];
    expect(accepted).toBeTypeOf("function");
  });
});
