import { idleSeconds } from "./activity";

/** Returns the headers of every call; `language` is that of messages. No library is imported: `src/boot.ts` uses it. */
export const requestHeaders = (language: string, token?: string): Record<string, string> => ({
  Accept: "application/json",
  "Accept-Language": language,
  // The server takes a call without it for activity.
  "Atrium-Idle": idleSeconds(),
  ...(token && { Authorization: `Bearer ${token}` }),
});

/** The further header of a call with a JSON body. */
export const jsonHeader = { "Content-Type": "application/json" };
