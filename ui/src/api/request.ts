import { takeBootResponse } from "@/lib/boot-requests";
import { noteDamage } from "@/lib/damage";
import { loading } from "@/lib/loading";
import { jsonHeader } from "@/lib/request-headers";
import { noteRefusedChange } from "@/lib/saving";
import { callHeaders } from "./call-headers";
import { ApiError } from "./errors";
import { bearerToken, readsSignal, reloadSignedOut, showLockScreen, showSecondFactorPage, useSession } from "./session";

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** Does not show the loading bar. */
  quiet?: boolean;
  /** Completes the call even if the page is left, unless its body is larger than browsers allow. */
  keepalive?: boolean;
}

/** Maximum bytes of the bodies that outlive their page: browsers refuse more than 64 KiB of all such calls together. */
const maxKeepaliveBytes = 60 * 1024;

const isSmall = (payload: BodyInit | null) => typeof payload === "string" && new TextEncoder().encode(payload).length <= maxKeepaliveBytes;

/** The parameters of a call, by their places in the request. Without a value, a parameter is left out. */
interface RequestOptions extends CallOptions {
  path?: Record<string, string> | undefined;
  query?: Record<string, string | number | boolean | readonly string[] | undefined> | undefined;
  header?: Record<string, string | undefined> | undefined;
}

/** Puts the parameters of a path such as `/api/tasks/{id}` into it. */
const withParameters = (path: string, parameters: Record<string, string> = {}) =>
  path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));

function withQuery(path: string, query: RequestOptions["query"] = {}): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    // Several values are a repeated parameter.
    if (value !== undefined && value !== "") for (const one of [value].flat()) search.append(key, String(one));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Unwraps a body that has a `data` field to the value of that field. */
function unwrap(body: unknown): unknown {
  return typeof body === "object" && body !== null && "data" in body ? body.data : body;
}

async function readBody(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Leaves the screen when an error says that the session is over, locked or lacks a second factor. */
export function followRefusal({ status, code }: ApiError) {
  if (useSession.getState().state !== "signed-in") return;
  if (status === 401) void reloadSignedOut();
  else if (code === "session_locked") showLockScreen();
  else if (code === "second_factor_required") showSecondFactorPage();
}

/** Calls the server; the caller states the type of the response's body. */
export async function request<T>(method: string, template: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
  const path = withParameters(template, options.path);
  const url = withQuery(path, options.query);
  const isJson = body !== undefined && !(body instanceof FormData);
  const payload = isJson ? JSON.stringify(body) : (body ?? null);
  const keepalive = options.keepalive === true && isSmall(payload);
  // Reads are aborted when their session ends; changes that are under way are completed.
  const sessionEnd = method === "GET" ? readsSignal() : undefined;
  const signals = [options.signal, sessionEnd].filter((signal) => signal !== undefined);
  if (!options.quiet) loading.setStatus(true, url);
  try {
    const headers = new Headers({ ...callHeaders(await bearerToken()), ...(isJson && jsonHeader) });
    for (const [key, value] of Object.entries(options.header ?? {})) if (value !== undefined) headers.set(key, value);
    let response: Response;
    let answer: unknown;
    try {
      const early = method === "GET" ? await takeBootResponse(url)?.catch(() => undefined) : undefined;
      response = early ?? (await fetch(url, { method, headers, body: payload, keepalive, signal: AbortSignal.any(signals) }));
      answer = await readBody(response);
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      if (sessionEnd?.aborted) throw new ApiError(401, { code: "not_signed_in" });
      throw new ApiError(0, { code: "unreachable" });
    }
    if (response.ok) {
      if (method === "GET") noteDamage(path, answer);
      return unwrap(answer) as T;
    }
    const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : answer;
    const wait = Number(response.headers.get("Retry-After"));
    const failure = new ApiError(response.status, error, wait > 0 ? wait : undefined);
    followRefusal(failure);
    if (method !== "GET" && failure.status === 503) noteRefusedChange();
    throw failure;
  } finally {
    if (!options.quiet) loading.setStatus(false, url);
  }
}
