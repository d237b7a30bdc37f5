import { password } from "./server";

/** A member who calls the API directly, beside the browser. */
export interface Caller {
  id: string;
  call: <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<T>;
}

/**
 * The cookie of a browser from which all members have signed in. An unknown browser causes a notification, which would
 * disturb the tests.
 */
export const known = { name: "atrium-device", value: "" };

/** Signs in by the API; `base` is the server's address. */
export async function caller(base: string, email: string): Promise<Caller> {
  const send = async (method: string, path: string, body: unknown, token?: string) => {
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await fetch(base + path, {
      method,
      headers: {
        ...(isJson && { "Content-Type": "application/json" }),
        ...(token ? { Authorization: `Bearer ${token}` } : { Cookie: `${known.name}=${known.value}` }),
      },
      ...(body !== undefined && { body: isJson ? JSON.stringify(body) : (body as FormData) }),
    });
    const mark = response.headers.getSetCookie().find((cookie) => cookie.startsWith(`${known.name}=`));
    if (mark) known.value = mark.slice(known.name.length + 1).split(";")[0] ?? "";
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const { accessToken, user } = await send("POST", "/api/auth/sign-in", { email, password });
  return { id: user.id, call: (method, path, body) => send(method, path, body, accessToken) };
}
