import i18n from "i18next";
import { create } from "zustand";
import { readStorage, refreshUrl, requestToken, storageKeys, takeBootResponse, withRefreshLock } from "@/lib/boot-requests";
import { forgetUnsent, hasUnsent } from "@/lib/drafts";
import { saveTypedInput } from "@/lib/input-recovery";
import { setTimeZone } from "@/lib/zone";
import type { SignedIn, User } from "./schema";

/** Whose session is locked. */
export interface Who {
  name: string;
  email: string;
}

interface Session {
  /** Unknown until the first refresh has answered. */
  state: "unknown" | "guest" | "signed-in" | "locked";
  user: User | undefined;
  /** Who may unlock. */
  who?: Who | undefined;
}

interface Access {
  token: string;
  /** `performance.now()` at which it ends; the person's wall clock may be wrong. */
  until: number;
  /** The wall clock's view of the same moment: a machine that slept stops the other clock. */
  untilWall: number;
  /** When to fetch the next one: at 80 % of its life. */
  renew: number;
}

type Signal =
  | { type: "token"; token: string; life: number; user: User }
  /** With `member` somebody chose to sign out, and that member's unsent work goes in every tab. */
  | { type: "signed-out"; member?: string }
  | { type: "locked" }
  | { type: "unsent?"; member: string }
  | { type: "unsent"; member: string };

/** Milliseconds in which the other tabs say whether they keep unsent work. */
const answerTime = 200;

export const useSession = create<Session>(() => ({ state: "unknown", user: undefined }));

useSession.subscribe(({ user }) => setTimeZone(user?.timezone));

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("atrium-session");
let access: Access | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let starting: Promise<void> | undefined;
let refreshing: Promise<boolean> | undefined;
let leaving = false;
let over = new AbortController();

/** Aborts when the session at hand is left: what was still being read in its name is for nobody any more. */
export function sessionOver(): AbortSignal | undefined {
  return useSession.getState().state === "signed-in" ? over.signal : undefined;
}

/** Takes the token away, and with it everything that is being read with it. */
function letGo() {
  access = undefined;
  clearTimeout(timer);
  over.abort();
  over = new AbortController();
}

/** Where a locked session is opened again. */
export const lockScreen = "/unlock-session";
/** Where a second factor is set up by who may do nothing else before. */
export const enrolScreen = "/secure-account";

/** What the server says to who comes back from the company's own sign-in. */
const arrived = "#signed-in";

/** Whether there may be a session to ask for; where storage is forbidden every start does. */
function remembered(): boolean {
  if (location.hash !== arrived) return readStorage(storageKeys.signedIn) !== null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

/** Notes who is signed in, so that a locked session's drafts can be found after a reload. */
function remember(member: string | undefined) {
  try {
    if (member) localStorage.setItem(storageKeys.signedIn, member);
    else localStorage.removeItem(storageKeys.signedIn);
  } catch {
    // Storage can be forbidden; then every start asks the server.
  }
}

/** Milliseconds an access token lives, by its own `exp` and `iat`; undefined when it says neither. */
function lifeOf(token: string): number | undefined {
  try {
    const part = token.split(".")[1] ?? "";
    const claims = JSON.parse(atob(part.replaceAll("-", "+").replaceAll("_", "/"))) as { exp?: number; iat?: number; nbf?: number };
    const from = claims.iat ?? claims.nbf;
    return claims.exp !== undefined && from !== undefined ? (claims.exp - from) * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function hold(token: string, life: number, user: User) {
  const now = performance.now();
  access = { token, until: now + life, untilWall: Date.now() + life, renew: now + life * 0.8 };
  useSession.setState({ state: "signed-in", user, who: undefined });
  remember(user.id);
  schedule(life * 0.8);
}

function schedule(delay: number) {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), Math.max(delay, 1000));
}

function expired(): boolean {
  return !access || performance.now() >= access.until || Date.now() >= access.untilWall;
}

/** Starts the page anew when what it shows was drawn for another person than the one who is signed in now. */
function startAnewForAnother(user: User): boolean {
  const shownTo = useSession.getState().user;
  if (!shownTo || shownTo.id === user.id) return false;
  if (leaving) return true;
  leaving = true;
  keepTyping();
  letGo();
  document.body.hidden = true;
  startAnew();
  return true;
}

/** Takes what sign-in or refresh answered, and tells the other tabs. */
export function accept({ accessToken, expiresAt, user }: SignedIn) {
  const life = lifeOf(accessToken) ?? Date.parse(expiresAt) - Date.now();
  if (!startAnewForAnother(user)) hold(accessToken, life, user);
  channel?.postMessage({ type: "token", token: accessToken, life, user } satisfies Signal);
}

/** While the page is about to start anew, the screens on it keep the person they were drawn for. */
function forget({ reloading = false } = {}) {
  letGo();
  remember(undefined);
  useSession.setState(reloading ? { state: "guest" } : { state: "guest", user: undefined, who: undefined });
}

type Renewal = { state: "signed-in" | "guest" } | { state: "locked"; who: Who | undefined };

/** One refresh for all tabs: whoever holds the lock asks, the others take what it was given. */
async function rotate(): Promise<Renewal> {
  const before = access?.token;
  const ask = async (): Promise<Renewal> => {
    if (access && access.token !== before && performance.now() < access.renew) return { state: "signed-in" };
    const response = await (takeBootResponse(refreshUrl) ?? requestToken(i18n.language ?? "en"));
    if (response.ok) {
      const body = (await response.json()) as SignedIn | { data: SignedIn };
      accept("data" in body ? body.data : body);
      return { state: "signed-in" };
    }
    if (response.status === 401) return { state: "guest" };
    if (response.status === 423) {
      const { error } = (await response.json().catch(() => ({}))) as { error?: { who?: Who } };
      return { state: "locked", who: error?.who };
    }
    throw new Error(`HTTP ${response.status}`);
  };
  return withRefreshLock(ask);
}

/** Renews the access token; false when the session is over. A lost connection keeps what there is. */
export function refresh(): Promise<boolean> {
  refreshing ??= rotate()
    .then((renewal) => {
      const wasIn = useSession.getState().state === "signed-in";
      if (renewal.state === "guest") {
        if (wasIn) void end();
        else forget();
      } else if (renewal.state === "locked") {
        if (wasIn) locked();
        else useSession.setState({ state: "locked", user: undefined, who: renewal.who });
      }
      return renewal.state === "signed-in";
    })
    .catch(() => {
      if (useSession.getState().state === "signed-in") schedule(5000);
      return !expired();
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

/** Resolves once it is known whether somebody is signed in: after a reload the cookie says so. */
export function ready(): Promise<void> {
  starting ??= (async () => {
    if (useSession.getState().state !== "unknown") return;
    // Without this hint a first visit would always begin with a refused request.
    if (!remembered()) return forget();
    const alive = await refresh();
    if (!alive && useSession.getState().state === "unknown") useSession.setState({ state: "guest", user: undefined });
  })();
  return starting;
}

/** The token to send, renewed first when it has run out; undefined for a guest. */
export async function bearer(): Promise<string | undefined> {
  if (useSession.getState().state !== "signed-in") return undefined;
  if (expired()) await refresh();
  return access && !expired() ? access.token : undefined;
}

/** Whose session this is, also while it is locked. */
const memberHere = () => useSession.getState().user?.id ?? readStorage(storageKeys.signedIn) ?? undefined;

/** Whether the person has something unsent in any tab of this browser. */
export function anythingUnsent(): Promise<boolean> {
  const member = memberHere();
  if (!member || hasUnsent(member)) return Promise.resolve(member !== undefined);
  if (!channel) return Promise.resolve(false);
  return new Promise((done) => {
    const end = (answer: boolean) => {
      clearTimeout(late);
      channel.removeEventListener("message", hear);
      done(answer);
    };
    const hear = ({ data }: MessageEvent<Signal>) => {
      if (data.type === "unsent" && data.member === member) end(true);
    };
    const late = setTimeout(() => end(false), answerTime);
    channel.addEventListener("message", hear);
    channel.postMessage({ type: "unsent?", member } satisfies Signal);
  });
}

/** Signs out because the person chose to: what they had not sent is removed, in every tab. */
export async function leave(): Promise<void> {
  const member = memberHere();
  if (member) forgetUnsent(member);
  await signOut({ member });
}

/** Ends the session on the server and forgets it here and in the other tabs. */
async function signOut({ reloading = false, member }: { reloading?: boolean; member?: string | undefined } = {}): Promise<void> {
  const token = access?.token;
  forget({ reloading });
  channel?.postMessage({ type: "signed-out", ...(member && { member }) } satisfies Signal);
  await fetch("/api/auth/sign-out", {
    method: "POST",
    keepalive: true,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: "{}",
  }).catch(() => undefined);
}

/** Starts the page anew, here or elsewhere. What was typed is kept, so nobody is asked whether to leave it. */
function startAnew(elsewhere?: string) {
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
  if (elsewhere) location.replace(elsewhere);
  else location.reload();
}

/** A page of its own, which leads back to where one is now. */
function withWayBack(path: string): string {
  const here = location.pathname + location.search + location.hash;
  return `${path}?redirectURL=${encodeURIComponent(here)}`;
}

/**
 * What a 423 means: nothing of what was on the screen, or in the page's memory, stays before the session is
 * unlocked. All tabs follow.
 */
export function locked({ tell = true } = {}) {
  if (leaving) return;
  leaving = true;
  keepTyping();
  letGo();
  useSession.setState({ state: "locked" });
  if (tell) channel?.postMessage({ type: "locked" } satisfies Signal);
  document.body.hidden = true;
  startAnew(withWayBack(lockScreen));
}

/** What a missing second factor means where one is required: it is set up before anything else is done. */
export function secureFirst() {
  if (leaving || location.pathname === enrolScreen) return;
  leaving = true;
  keepTyping();
  // What was refused shows as an error until the other page has come.
  document.body.hidden = true;
  startAnew(withWayBack(enrolScreen));
}

/** The session that was locked has ended: nothing of it is left here. */
export function forgetLocked() {
  forget();
}

/** What a 401 means: signed out, and the page starts anew. */
export async function end(): Promise<void> {
  if (leaving) return;
  leaving = true;
  keepTyping();
  await signOut({ reloading: true });
  startAnew();
}

function keepTyping() {
  const member = useSession.getState().user?.id;
  if (member) saveTypedInput(member);
}

/** Keeps the person at hand current after a change of their own. */
export function setUser(user: User) {
  useSession.setState({ user });
}

channel?.addEventListener("message", ({ data }: MessageEvent<Signal>) => {
  if (data.type === "unsent") return;
  if (data.type === "unsent?") {
    if (hasUnsent(data.member)) channel.postMessage({ type: "unsent", member: data.member } satisfies Signal);
    return;
  }
  if (data.type === "signed-out" && data.member) forgetUnsent(data.member);
  if (data.type === "token") {
    if (!startAnewForAnother(data.user)) hold(data.token, data.life, data.user);
  } else if (data.type === "locked") {
    if (useSession.getState().state === "signed-in") locked({ tell: false });
  } else if (useSession.getState().state === "signed-in") {
    if (!data.member) keepTyping();
    forget({ reloading: true });
    startAnew();
  } else if (useSession.getState().state === "locked") {
    forget();
    startAnew();
  }
});

if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && access && (expired() || performance.now() >= access.renew)) void refresh();
  });
  addEventListener("online", () => {
    if (access && expired()) void refresh();
  });
}
