import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { announce, tellSight, useBrowserNotices, wantBrowserNotices } from "./browser";

/** A fake of the browser's locks, as far as these tests need them. */
function standInLocks() {
  const held: { name: string }[] = [];
  const request = async (name: string, options: { ifAvailable?: boolean }, run: (lock: object | null) => Promise<unknown>) => {
    if (options.ifAvailable && held.some((one) => one.name === name)) return run(null);
    const lock = { name };
    held.push(lock);
    await run(lock);
    held.splice(held.indexOf(lock), 1);
  };
  return { held, request, query: async () => ({ held }) };
}

const shown: { title: string; options: NotificationOptions; onclick?: () => void; close: () => void }[] = [];
const asked = vi.fn(async () => "granted");
let permission: string;
class StandIn {
  static get permission() {
    return permission;
  }
  static requestPermission = () => asked().then((answer) => (permission = answer));
  close = () => undefined;
  constructor(
    readonly title: string,
    readonly options: NotificationOptions,
  ) {
    shown.push(this as never);
  }
}

let locks: ReturnType<typeof standInLocks>;
let visibility: DocumentVisibilityState;
const onOpen = vi.fn();
const tell = (moment = "1") => announce({ tag: "n1", title: "3 new messages from Ada", onOpen }, moment);
/** Waits until pending tasks have run. */
const turn = () => new Promise((done) => setTimeout(done));

beforeEach(() => {
  shown.length = 0;
  permission = "granted";
  visibility = "hidden";
  locks = standInLocks();
  localStorage.clear();
  asked.mockClear();
  onOpen.mockClear();
  vi.stubGlobal("isSecureContext", true);
  vi.stubGlobal("Notification", StandIn);
  Object.defineProperty(navigator, "locks", { configurable: true, value: locks });
  vi.spyOn(document, "visibilityState", "get").mockImplementation(() => visibility);
  useBrowserNotices.setState({ permission: "granted", wanted: true });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it("asks for permission only when turned on, and stores the choice in this browser", async () => {
  permission = "default";
  expect(asked).not.toHaveBeenCalled();
  await wantBrowserNotices("u1", true);
  expect(asked).toHaveBeenCalledOnce();
  expect(useBrowserNotices.getState()).toEqual({ permission: "granted", wanted: true });
  expect(localStorage).toHaveLength(1);
  await wantBrowserNotices("u1", false);
  expect(useBrowserNotices.getState().wanted).toBe(false);
  expect(localStorage).toHaveLength(0);
});

it("stays off when permission is denied", async () => {
  permission = "default";
  asked.mockResolvedValueOnce("denied");
  await wantBrowserNotices("u1", true);
  expect(useBrowserNotices.getState()).toEqual({ permission: "denied", wanted: false });
});

it("shows only the title, in one tab, and opens the item on click", async () => {
  void tell();
  void tell();
  await turn();
  expect(shown).toHaveLength(1);
  expect(shown[0]?.title).toBe("3 new messages from Ada");
  expect(shown[0]?.options.body).toBeUndefined();
  shown[0]?.onclick?.();
  expect(onOpen).toHaveBeenCalledOnce();
  void tell("2");
  await turn();
  expect(shown).toHaveLength(2);
});

it("shows nothing while this tab or another one is visible", async () => {
  visibility = "visible";
  void tell();
  await turn();
  expect(shown).toHaveLength(0);
  const stop = tellSight();
  visibility = "hidden";
  void tell();
  await turn();
  expect(shown).toHaveLength(0);
  document.dispatchEvent(new Event("visibilitychange"));
  await turn();
  void tell("2");
  await turn();
  expect(shown).toHaveLength(1);
  stop();
});

it("shows nothing when turned off", async () => {
  useBrowserNotices.setState({ wanted: false });
  void tell();
  await turn();
  expect(shown).toHaveLength(0);
});
