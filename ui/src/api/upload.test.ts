import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useLoading } from "@/lib/loading";
import { signedIn } from "@/test/people";
import * as sessions from "./session";
import { upload } from "./upload";

/** A request that the test answers. */
class FakeRequest extends EventTarget {
  static last: FakeRequest;
  upload = new EventTarget();
  status = 0;
  responseText = "";
  constructor() {
    super();
    FakeRequest.last = this;
  }
  open() {}
  setRequestHeader() {}
  send() {}
  answer(status: number, body: unknown) {
    this.status = status;
    this.responseText = JSON.stringify(body);
    this.dispatchEvent(new Event("load"));
    this.dispatchEvent(new Event("loadend"));
  }
}

beforeEach(() => {
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  sessions.accept(signedIn(86_400));
});
afterEach(() => {
  vi.unstubAllGlobals();
  sessions.useSession.setState({ state: "guest", user: undefined });
});

async function begin() {
  const done = upload(new File(["a"], "a.txt")).catch((error: unknown) => error);
  await vi.waitFor(() => expect(useLoading.getState().visible).toBe(true));
  return done;
}

it.each([
  [401, "not_signed_in", "reloadSignedOut"],
  [423, "session_locked", "showLockScreen"],
  [403, "second_factor_required", "showSecondFactorPage"],
] as const)("handles a %i %s response like other requests", async (status, code, does) => {
  const follow = vi.spyOn(sessions, does).mockReturnValue(undefined as never);
  const pending = begin();
  await vi.waitFor(() => expect(useLoading.getState().visible).toBe(true));
  FakeRequest.last.answer(status, { error: { code, message: "No." } });
  expect(await pending).toMatchObject({ status, code });
  expect(follow).toHaveBeenCalledOnce();
  expect(useLoading.getState().visible).toBe(false);
});

it("shows the loading bar until the upload finishes", async () => {
  const pending = begin();
  await vi.waitFor(() => expect(useLoading.getState().visible).toBe(true));
  FakeRequest.last.answer(201, { id: "f" });
  expect(await pending).toEqual({ id: "f" });
  expect(useLoading.getState().visible).toBe(false);
});
