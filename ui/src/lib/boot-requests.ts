import { jsonHeader, requestHeaders } from "./request-headers";

/**
 * Requests made before the application has loaded, so that on a slow connection they run in parallel with it. Each
 * response is returned once, to the first caller of the same request.
 */
const bootRequests = new Map<string, Promise<Response>>();

/** Milliseconds for which a response may be used. */
const maxAgeMs = 10_000;

/** The browser's storage keys: the id of the signed-in or locked member, and the language chosen by hand. */
export const storageKeys = { memberId: "atrium.signed-in", language: "atrium.language" } as const;

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
  bootRequests.set(url, answer);
  setTimeout(() => bootRequests.delete(url), maxAgeMs);
  return answer;
}

/** Returns the response to an early request; undefined if there was none. */
export function takeBootResponse(url: string): Promise<Response> | undefined {
  const answer = bootRequests.get(url);
  bootRequests.delete(url);
  return answer;
}

/** The path that issues the session's next token. */
export const refreshUrl = "/api/auth/refresh";

/** Requests the next token; `language` is that of error messages. */
export function requestToken(language: string): Promise<Response> {
  return fetch(refreshUrl, {
    method: "POST",
    headers: { ...requestHeaders(language), ...jsonHeader },
    body: "{}",
  });
}

/** Runs a task in one tab at a time, because a token can be refreshed only once. */
export async function withRefreshLock<T>(ask: () => Promise<T>): Promise<T> {
  return "locks" in navigator && navigator.locks ? await navigator.locks.request("atrium-refresh", ask) : ask();
}
