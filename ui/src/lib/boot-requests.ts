import { idleHeader, idleSeconds } from "./activity";

/**
 * Calls that the page makes before the application has come, so that on a slow line nothing is waited
 * for that could have been on its way. Each answer is given out once, to whoever first asks for just that.
 */
const asked = new Map<string, Promise<Response>>();

/** Milliseconds after which an answer is too old to stand for a call made now. */
const fresh = 10_000;

/** Where the browser notes that somebody is signed in, and the language chosen by hand. */
export const storageKeys = { signedIn: "atrium.signed-in", language: "atrium.language" } as const;

/** The stored value; undefined where storage is forbidden. */
export function readStorage(key: string): string | null | undefined {
  try {
    return localStorage.getItem(key);
  } catch {
    return undefined;
  }
}

/** Makes a call now. */
export function startBootRequest(url: string, call: () => Promise<Response>): Promise<Response> {
  const answer = call();
  // Whoever takes the answer hears of the failure; nobody may.
  answer.catch(() => undefined);
  asked.set(url, answer);
  setTimeout(() => asked.delete(url), fresh);
  return answer;
}

/** The answer to a call made early; undefined when there was none. */
export function takeBootResponse(url: string): Promise<Response> | undefined {
  const answer = asked.get(url);
  asked.delete(url);
  return answer;
}

/** Where the session's next token is asked for. */
export const refreshUrl = "/api/auth/refresh";

/** Asks for the next token; in the language that an error would be told in. */
export function requestToken(language: string): Promise<Response> {
  return fetch(refreshUrl, {
    method: "POST",
    headers: { "Content-Type": "application/json", "Accept-Language": language, [idleHeader]: idleSeconds() },
    body: "{}",
  });
}

/** Does what only one tab may do at a time: a token is good for one refresh. */
export async function withRefreshLock<T>(ask: () => Promise<T>): Promise<T> {
  return "locks" in navigator && navigator.locks ? await navigator.locks.request("atrium-refresh", ask) : ask();
}
