import { password } from "./server";

/** A member who calls the API directly, beside the browser. */
export interface Caller {
  id: string;
  call: <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>;
}

/**
 * The cookies of a browser from which all members have signed in, by the port of the server. An unknown browser causes a
 * notification, which would disturb the tests.
 */
const marks = new Map<string, string>();
/** The ports of servers whose cookie stays: one has five members at most, and each sign-in adds one. */
const kept = new Set<string>();
const cookie = "atrium-device";

/** Returns a server's cookie for a browser that it knows. */
export const known = (base: string) => ({ name: cookie, value: marks.get(new URL(base).port) ?? "" });
/** Keeps a server's cookie for a browser that it knows. */
export function keepKnown(base: string, mark: string) {
  const { port } = new URL(base);
  marks.set(port, mark);
  kept.add(port);
}

/** Signs in by the API; `base` is the server's address. */
export async function caller(base: string, email: string): Promise<Caller> {
  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(isJson && { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : { Cookie: `${cookie}=${known(base).value}` }),
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    });
    const mark = response.headers.getSetCookie().find((line) => line.startsWith(`${cookie}=`));
    const { port } = new URL(base);
    if (mark && !kept.has(port)) marks.set(port, mark.slice(cookie.length + 1).split(";")[0] ?? "");
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const { accessToken, user } = await send("POST", "/api/auth/sign-in", { email, password });
  return { id: user.id, call: (method, path, body) => send(method, path, body, accessToken) };
}
