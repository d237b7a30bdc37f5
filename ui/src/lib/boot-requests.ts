import { idleHeader, idleSeconds } from "./activity";

/**
 * Requests made before the application has loaded, so that on a slow connection they run in parallel with it. Each
 * response is returned once, to the first caller of the same request.
 */
const asked = new Map<string, Promise<Response>>();

/** Milliseconds after which a response is too old to be used. */
const fresh = 10_000;

/** The browser's storage keys: the signed-in member, and the language chosen by hand. */
export const storageKeys = { signedIn: "atrium.signed-in", language: "atrium.language" } as const;

/** Returns the stored value; undefined where storage is forbidden. */
export function readStorage(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key);
  } catch {
    return undefined;
  }
}

/** Starts a request now. */
export function startBootRequest(url: string, call: () => Promise<Response>): Promise<Response> {
  const answer = call();
  // The taker of the response handles a failure; it may have no taker.
  answer.catch(() => undefined);
  asked.set(url, answer);
  setTimeout(() => asked.delete(url), fresh);
  return answer;
}

/** Returns the response to an early request; undefined if there was none. */
export function takeBootResponse(url: string): Promise<Response> | undefined {
  const answer = asked.get(url);
  asked.delete(url);
  return answer;
}

/** The path that issues the session's next token. */
export const refreshUrl = "/api/auth/refresh";

/** Requests the next token; `language` is that of error messages. */
export function requestToken(language: string): Promise<Response> {
  return fetch(refreshUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Accept-Language": language, [idleHeader]: idleSeconds() },
    body: "{}",
  });
}

/** Runs a task in one tab at a time, because a token can be refreshed only once. */
export async function withRefreshLock<T>(ask: () => Promise<T>): Promise<T> {
  return "locks" in navigator && navigator.locks ? await navigator.locks.request("atrium-refresh", ask) : ask();
}
