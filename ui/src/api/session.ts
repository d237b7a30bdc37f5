import i18n from "i18next";
import { create } from "zustand";
import { readStorage, refreshUrl, requestToken, storageKeys, takeBootResponse, withRefreshLock } from "@/lib/boot-requests";
import { forgetUnsent, hasUnsent } from "@/lib/drafts";
import { saveTypedInput } from "@/lib/input-recovery";
import { setTimeZone } from "@/lib/zone";
import type { LockedMember, PathOf, Problem, SignedIn, User } from "./schema";

interface Session {
  /** `unknown` until the first refresh is answered. */
  state: "unknown" | "guest" | "signed-in" | "locked";
  user: User | undefined;
  /** The member who may unlock the session. */
  who?: LockedMember | undefined;
}

interface Access {
  token: string;
  /** `performance.now()` at which the token expires; the wall clock may be wrong. */
  until: number;
  /** The same moment by the wall clock, because the other clock stops while the machine sleeps. */
  untilWall: number;
  /** When to fetch the next token: at 80 % of its life. */
  renew: number;
}

type Signal =
  | { type: "token"; token: string; life: number; user: User }
  /** `member` is set when the member chose to sign out; every tab then removes their unsent work. */
  | { type: "signed-out"; member?: string }
  | { type: "locked" }
  | { type: "unsent?"; member: string }
  | { type: "unsent"; member: string };

/** Milliseconds to wait for other tabs to report unsent work. */
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

/** Returns a signal that aborts the session's pending reads when the session ends. */
export function sessionOver(): AbortSignal | undefined {
  return useSession.getState().state === "signed-in" ? over.signal : undefined;
}

/** Drops the token and aborts the reads that use it. */
function letGo() {
  access = undefined;
  clearTimeout(timer);
  over.abort();
  over = new AbortController();
}

/** The page that unlocks a session. */
export const lockScreen = "/unlock-session";
/** The page that sets up a required second factor. */
export const enrolScreen = "/secure-account";

/** The hash with which the server returns from the company's single sign-on. */
const arrived = "#signed-in";

/** Whether a session may exist; without storage, always true. */
function remembered(): boolean {
  if (location.hash !== arrived) return readStorage(storageKeys.signedIn) !== null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

/** Stores who is signed in, so that a locked session's drafts are found after a reload. */
function remember(member: string | undefined) {
  try {
    if (member) localStorage.setItem(storageKeys.signedIn, member);
    else localStorage.removeItem(storageKeys.signedIn);
  } catch {
    // Storage can be forbidden; then every start asks the server.
  }
}

/** Returns the life of an access token in milliseconds, from its `exp` and `iat`; undefined if they are missing. */
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

function startSession(token: string, life: number, user: User) {
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

/** Reloads the page if it shows the data of a member other than the one now signed in. */
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

/** Stores the result of a sign-in or refresh and passes it to the other tabs. */
export function accept({ accessToken, expiresAt, user }: SignedIn) {
  const life = lifeOf(accessToken) ?? Date.parse(expiresAt) - Date.now();
  if (!startAnewForAnother(user)) startSession(accessToken, life, user);
  channel?.postMessage({ type: "token", token: accessToken, life, user } satisfies Signal);
}

/** Forgets the session. Before a reload, the screens keep the member whose data they show. */
function forget({ reloading = false } = {}) {
  letGo();
  remember(undefined);
  useSession.setState(reloading ? { state: "guest" } : { state: "guest", user: undefined, who: undefined });
}

type Renewal = { state: "signed-in" | "guest" } | { state: "locked"; who: LockedMember | undefined };

/** Refreshes once for all tabs: the tab with the lock asks, and the others take its result. */
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
      const { error } = (await response.json().catch(() => ({}))) as { error?: Partial<Problem> };
      return { state: "locked", who: error?.who };
    }
    throw new Error(`HTTP ${response.status}`);
  };
  return withRefreshLock(ask);
}

/** Renews the access token; false when the session is over. If the connection fails, the current token stays. */
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

/** Resolves once it is known whether a member is signed in; after a reload, the cookie decides. */
export function ready(): Promise<void> {
  starting ??= (async () => {
    if (useSession.getState().state !== "unknown") return;
    // Without this check, every first visit would begin with a refused request.
    if (!remembered()) return forget();
    const alive = await refresh();
    if (!alive && useSession.getState().state === "unknown") useSession.setState({ state: "guest", user: undefined });
  })();
  return starting;
}

/** Returns the token to send, renewed if it has expired; undefined for a guest. */
export async function bearer(): Promise<string | undefined> {
  if (useSession.getState().state !== "signed-in") return undefined;
  if (expired()) await refresh();
  return access && !expired() ? access.token : undefined;
}

/** Returns the session's member, also while it is locked. */
const memberHere = () => useSession.getState().user?.id ?? readStorage(storageKeys.signedIn) ?? undefined;

/** Checks whether the member has unsent work in any tab of this browser. */
export function anythingUnsent(): Promise<boolean> {
  const member = memberHere();
  if (!member || hasUnsent(member)) return Promise.resolve(member !== undefined);
  if (!channel) return Promise.resolve(false);
  return new Promise((done) => {
    const end = (answer: boolean) => {
      clearTimeout(late);
      channel.removeEventListener("message", onSignal);
      done(answer);
    };
    const onSignal = ({ data }: MessageEvent<Signal>) => {
      if (data.type === "unsent" && data.member === member) end(true);
    };
    const late = setTimeout(() => end(false), answerTime);
    channel.addEventListener("message", onSignal);
    channel.postMessage({ type: "unsent?", member } satisfies Signal);
  });
}

/** Signs out because the member chose to, and removes their unsent work in every tab. */
export async function leave(): Promise<void> {
  const member = memberHere();
  if (member) forgetUnsent(member);
  await signOut({ member });
}

/** Ends the session on the server, and forgets it here and in the other tabs. */
async function signOut({ reloading = false, member }: { reloading?: boolean; member?: string | undefined } = {}): Promise<void> {
  const token = access?.token;
  forget({ reloading });
  channel?.postMessage({ type: "signed-out", ...(member && { member }) } satisfies Signal);
  await fetch("/api/auth/sign-out" satisfies PathOf<"post">, {
    method: "POST",
    keepalive: true,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    body: "{}",
  }).catch(() => undefined);
}

/** Reloads the page or goes to another one, without the browser's question about unsaved input, which is kept. */
function startAnew(elsewhere?: string) {
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
  if (elsewhere) location.replace(elsewhere);
  else location.reload();
}

/** Adds the current address to a path, so that the page can lead back. */
function withWayBack(path: string): string {
  const here = location.pathname + location.search + location.hash;
  return `${path}?redirectURL=${encodeURIComponent(here)}`;
}

/** Handles a 423: removes everything from the screen and from memory until the session is unlocked, in all tabs. */
export function locked({ announce = true } = {}) {
  if (leaving) return;
  leaving = true;
  keepTyping();
  letGo();
  useSession.setState({ state: "locked" });
  if (announce) channel?.postMessage({ type: "locked" } satisfies Signal);
  document.body.hidden = true;
  startAnew(withWayBack(lockScreen));
}

/** Handles a required second factor that is missing: goes to the page that sets it up. */
export function secureFirst() {
  if (leaving || location.pathname === enrolScreen) return;
  leaving = true;
  keepTyping();
  // The screen would show the refusal as an error until the other page loads.
  document.body.hidden = true;
  startAnew(withWayBack(enrolScreen));
}

/** Forgets a locked session that has ended. */
export function forgetLocked() {
  forget();
}

/** Handles a 401: signs out and reloads the page. */
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

/** Stores the member's data after they changed it. */
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
    if (!startAnewForAnother(data.user)) startSession(data.token, data.life, data.user);
  } else if (data.type === "locked") {
    if (useSession.getState().state === "signed-in") locked({ announce: false });
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
