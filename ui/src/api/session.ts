import { create } from "zustand";
import { readStorage, refreshUrl, requestToken, storageKeys, takeBootResponse, withRefreshLock } from "@/lib/boot-requests";
import { hasUnsentWork, removeUnsentWork } from "@/lib/drafts";
import { saveRecovery } from "@/lib/input-recovery";
import { setRegion } from "@/lib/region";
import { jsonHeader } from "@/lib/request-headers";
import { setTimeZone } from "@/lib/zone";
import { callHeaders, currentLanguage } from "./call-headers";
import { ApiError } from "./errors";
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
  expiresAt: number;
  /** The same moment by the wall clock, because the other clock stops while the machine sleeps. */
  expiresAtWall: number;
  /** `performance.now()` from which the next token is fetched. */
  renewAt: number;
}

type SessionMessage =
  | { type: "token"; token: string; life: number; user: User }
  /** `member` is set when the member chose to sign out; every tab then removes their unsent work. */
  | { type: "signed-out"; member?: string }
  | { type: "locked" }
  | { type: "unsent?"; member: string }
  | { type: "unsent"; member: string };

/** The share of a token's life after which the next one is fetched. */
const renewalShare = 0.8;
/** Milliseconds to wait for other tabs to report unsent work. */
const unsentAnswerMs = 200;

export const useSession = create<Session>(() => ({ state: "unknown", user: undefined }));

useSession.subscribe(({ user }) => {
  setTimeZone(user?.timezone);
  setRegion(user?.region);
});

const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("atrium-session");
let access: Access | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;
let starting: Promise<void> | undefined;
let refreshing: Promise<boolean> | undefined;
/** Whether this page is being replaced: reloaded, or by the page that unlocks or that sets up a second factor. */
let isUnloading = false;
let sessionAbort = new AbortController();

/**
 * Returns a signal that aborts the session's reads when it ends, is locked, or another member signs in. A page that is being
 * replaced reads nothing more: without a token, its timers would be refused.
 */
export function readsSignal(): AbortSignal | undefined {
  if (isUnloading) return AbortSignal.abort();
  return useSession.getState().state === "signed-in" ? sessionAbort.signal : undefined;
}

/** Drops the access token, and aborts the session's reads; changes under way are completed. */
function endAccess() {
  access = undefined;
  clearTimeout(timer);
  sessionAbort.abort();
  sessionAbort = new AbortController();
}

/** The page that unlocks a session. */
export const lockScreenPath = "/unlock-session";
/** The page that sets up a required second factor. */
export const secondFactorPath = "/secure-account";

/** The hash with which the server returns from the company's single sign-on. */
const signedInHash = "#signed-in";

/** Whether a session may exist; without storage, always true. */
function mayBeSignedIn(): boolean {
  if (location.hash !== signedInHash) return readStorage(storageKeys.memberId) !== null;
  history.replaceState(history.state, "", location.pathname + location.search);
  return true;
}

/** Stores the member's id, so that a locked session's drafts are found after a reload. */
function rememberMember(member: string | undefined) {
  try {
    if (member) localStorage.setItem(storageKeys.memberId, member);
    else localStorage.removeItem(storageKeys.memberId);
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
  access = { token, expiresAt: now + life, expiresAtWall: Date.now() + life, renewAt: now + life * renewalShare };
  useSession.setState({ state: "signed-in", user, who: undefined });
  rememberMember(user.id);
  schedule(life * renewalShare);
}

function schedule(delay: number) {
  clearTimeout(timer);
  timer = setTimeout(() => void refresh(), Math.max(delay, 1000));
}

function isExpired(): boolean {
  return !access || performance.now() >= access.expiresAt || Date.now() >= access.expiresAtWall;
}

/** Reloads the page if it shows the data of a member other than the one now signed in. */
function reloadForOther(user: User): boolean {
  const shownTo = useSession.getState().user;
  if (!shownTo || shownTo.id === user.id) return false;
  if (isUnloading) return true;
  saveInputRecovery();
  endAccess();
  document.body.hidden = true;
  loadPage();
  return true;
}

/** Stores the result of a sign-in or refresh and passes it to the other tabs. */
export function accept({ accessToken, expiresAt, user }: SignedIn) {
  const life = lifeOf(accessToken) ?? Date.parse(expiresAt) - Date.now();
  if (!reloadForOther(user)) startSession(accessToken, life, user);
  channel?.postMessage({ type: "token", token: accessToken, life, user } satisfies SessionMessage);
}

/** Forgets the session in this tab. With `keepUser`, before a reload, the screens keep the member whose data they show. */
export function forgetSession({ keepUser = false } = {}) {
  endAccess();
  rememberMember(undefined);
  useSession.setState(keepUser ? { state: "guest" } : { state: "guest", user: undefined, who: undefined });
}

type Renewal = { state: "signed-in" | "guest" } | { state: "locked"; who: LockedMember | undefined };

/** Refreshes once for all tabs: the tab with the lock asks, and the others take its result. */
async function rotate(): Promise<Renewal> {
  const before = access?.token;
  const ask = async (): Promise<Renewal> => {
    if (access && access.token !== before && performance.now() < access.renewAt) return { state: "signed-in" };
    const response = await (takeBootResponse(refreshUrl) ?? requestToken(currentLanguage()));
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
        if (wasIn) void reloadSignedOut();
        else forgetSession();
      } else if (renewal.state === "locked") {
        if (wasIn) showLockScreen();
        else useSession.setState({ state: "locked", user: undefined, who: renewal.who });
      }
      return renewal.state === "signed-in";
    })
    .catch(() => {
      if (useSession.getState().state === "signed-in") schedule(5000);
      return !isExpired();
    })
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

/** Resolves once it is known whether a member is signed in; after a reload, the cookie decides. */
export function whenSessionKnown(): Promise<void> {
  starting ??= (async () => {
    if (useSession.getState().state !== "unknown") return;
    // Without this check, every first visit would begin with a refused request.
    if (!mayBeSignedIn()) return forgetSession();
    const alive = await refresh();
    if (!alive && useSession.getState().state === "unknown") useSession.setState({ state: "guest", user: undefined });
  })();
  return starting;
}

/**
 * Returns the token to send, renewed if it has expired; undefined for a guest. Fails with `unreachable` while it cannot be
 * renewed: a request without a token would be refused, which ends the session.
 */
export async function bearerToken(): Promise<string | undefined> {
  const isSignedIn = () => useSession.getState().state === "signed-in";
  if (!isSignedIn()) return undefined;
  // The new token has expired, too, where the machine slept before it came.
  if (isExpired() && (await refresh()) && isExpired()) await refresh();
  if (!isSignedIn()) return undefined;
  if (isExpired()) throw new ApiError(0, { code: "unreachable" });
  return access?.token;
}

/** Returns the id of the session's member, also while it is locked. */
const sessionMemberId = () => useSession.getState().user?.id ?? readStorage(storageKeys.memberId) ?? undefined;

/** Checks whether the member has unsent work in any tab of this browser. */
export function hasUnsentInAnyTab(): Promise<boolean> {
  const member = sessionMemberId();
  if (!member || hasUnsentWork(member)) return Promise.resolve(member !== undefined);
  if (!channel) return Promise.resolve(false);
  return new Promise((done) => {
    const finish = (answer: boolean) => {
      clearTimeout(late);
      channel.removeEventListener("message", onMessage);
      done(answer);
    };
    const onMessage = ({ data }: MessageEvent<SessionMessage>) => {
      if (data.type === "unsent" && data.member === member) finish(true);
    };
    const late = setTimeout(() => finish(false), unsentAnswerMs);
    channel.addEventListener("message", onMessage);
    channel.postMessage({ type: "unsent?", member } satisfies SessionMessage);
  });
}

/** Signs out because the member chose to, and removes their unsent work in every tab. */
export async function signOut(): Promise<void> {
  const member = sessionMemberId();
  if (member) removeUnsentWork(member);
  await endSession({ member });
}

/** Ends the session on the server, and forgets it here and in the other tabs. `member` as in the message `signed-out`. */
async function endSession({ keepUser = false, member }: { keepUser?: boolean; member?: string | undefined } = {}): Promise<void> {
  const token = access?.token;
  forgetSession({ keepUser });
  channel?.postMessage({ type: "signed-out", ...(member && { member }) } satisfies SessionMessage);
  await fetch("/api/auth/sign-out" satisfies PathOf<"post">, {
    method: "POST",
    keepalive: true,
    headers: { ...callHeaders(token), ...jsonHeader },
    body: "{}",
  }).catch(() => undefined);
}

/** Reloads the page or loads another one, without the browser's question about unsaved input, which is kept. */
function loadPage(elsewhere?: string) {
  isUnloading = true;
  addEventListener("beforeunload", (event) => event.stopImmediatePropagation(), { capture: true });
  if (elsewhere) location.replace(elsewhere);
  else location.reload();
}

/** Adds the current address to a path, so that the page can lead back. */
function withRedirectUrl(path: string): string {
  const here = location.pathname + location.search + location.hash;
  return `${path}?redirectURL=${encodeURIComponent(here)}`;
}

/** Handles a 423: removes everything from the screen and from memory until the session is unlocked, in all tabs. */
export function showLockScreen({ announce = true } = {}) {
  if (isUnloading) return;
  saveInputRecovery();
  endAccess();
  useSession.setState({ state: "locked" });
  if (announce) channel?.postMessage({ type: "locked" } satisfies SessionMessage);
  document.body.hidden = true;
  loadPage(withRedirectUrl(lockScreenPath));
}

/** Handles a required second factor that is missing: goes to the page that sets it up. */
export function showSecondFactorPage() {
  if (isUnloading || location.pathname === secondFactorPath) return;
  saveInputRecovery();
  // The screen would show the refusal as an error until the other page loads.
  document.body.hidden = true;
  loadPage(withRedirectUrl(secondFactorPath));
}

/** Handles a 401: ends the session in all tabs and reloads the page; unsent work is kept. */
export async function reloadSignedOut(): Promise<void> {
  if (isUnloading) return;
  isUnloading = true;
  saveInputRecovery();
  await endSession({ keepUser: true });
  loadPage();
}

/** Stores what is typed on this screen, so that the member can restore it after the reload. */
function saveInputRecovery() {
  const member = useSession.getState().user?.id;
  if (member) saveRecovery(member);
}

/** Stores the member's data after they changed it. */
export function setUser(user: User) {
  useSession.setState({ user });
}

channel?.addEventListener("message", ({ data }: MessageEvent<SessionMessage>) => {
  if (data.type === "unsent") return;
  if (data.type === "unsent?") {
    if (hasUnsentWork(data.member)) channel.postMessage({ type: "unsent", member: data.member } satisfies SessionMessage);
    return;
  }
  if (data.type === "signed-out" && data.member) removeUnsentWork(data.member);
  if (data.type === "token") {
    if (!reloadForOther(data.user)) startSession(data.token, data.life, data.user);
  } else if (data.type === "locked") {
    if (useSession.getState().state === "signed-in") showLockScreen({ announce: false });
  } else if (useSession.getState().state === "signed-in") {
    if (!data.member) saveInputRecovery();
    forgetSession({ keepUser: true });
    loadPage();
  } else if (useSession.getState().state === "locked") {
    forgetSession();
    loadPage();
  }
});

if (typeof document !== "undefined") {
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible" && access && (isExpired() || performance.now() >= access.renewAt)) void refresh();
  });
  addEventListener("online", () => {
    if (access && isExpired()) void refresh();
  });
}
