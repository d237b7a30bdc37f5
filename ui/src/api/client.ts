import i18n from "i18next";
import { idleHeader, idleSeconds } from "@/lib/activity";
import { takeBootResponse } from "@/lib/boot-requests";
import { noteDamage } from "@/lib/damage";
import { loading } from "@/lib/loading";
import { noteRefusedChange } from "@/lib/saving";
import { ApiError } from "./errors";
import { bearer, end, locked, secureFirst, sessionOver, useSession } from "./session";

type Query = Record<string, string | number | boolean | undefined | null>;

export interface RequestOptions {
  query?: Query | undefined;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** Does not show the loading bar. */
  quiet?: boolean;
}

function withQuery(path: string, query: Query | undefined): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") search.set(key, String(value));
  }
  return search.size > 0 ? `${path}?${search}` : path;
}

/** Unwraps a body that has a `data` field to the value of that field. */
function unwrap(body: unknown): unknown {
  return typeof body === "object" && body !== null && "data" in body ? body.data : body;
}

async function read(response: Response): Promise<unknown> {
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
  if (status === 401) void end();
  else if (code === "session_locked") locked();
  else if (code === "second_factor_required") secureFirst();
}

async function request<T>(method: string, path: string, body?: unknown, options: RequestOptions = {}): Promise<T> {
  const url = withQuery(path, options.query);
  const headers = new Headers({ Accept: "application/json", "Accept-Language": i18n.language ?? "en", [idleHeader]: idleSeconds() });
  let payload: BodyInit | null = null;
  if (body instanceof FormData) payload = body;
  else if (body !== undefined) {
    headers.set("Content-Type", "application/json");
    payload = JSON.stringify(body);
  }
  for (const [key, value] of Object.entries(options.headers ?? {})) headers.set(key, value);
  // Reads are aborted when their session ends; changes that are under way are completed.
  const over = method === "GET" ? sessionOver() : undefined;
  const signals = [options.signal, over].filter((signal) => signal !== undefined);
  if (!options.quiet) loading.setStatus(true, url);
  try {
    const token = await bearer();
    if (token) headers.set("Authorization", `Bearer ${token}`);
    let response: Response;
    let answer: unknown;
    try {
      const early = method === "GET" ? await takeBootResponse(url)?.catch(() => undefined) : undefined;
      response = early ?? (await fetch(url, { method, headers, body: payload, signal: AbortSignal.any(signals) }));
      answer = await read(response);
    } catch (cause) {
      if (options.signal?.aborted) throw cause;
      if (over?.aborted) throw new ApiError(401, { code: "not_signed_in" });
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

/** Calls the server's API; paths begin with `/api/`. */
export const api = {
  get: <T>(path: string, options?: RequestOptions) => request<T>("GET", path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options?: RequestOptions) => request<T>("POST", path, body, options),
  put: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("PUT", path, body, options),
  patch: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>("PATCH", path, body, options),
  delete: <T>(path: string, options?: RequestOptions) => request<T>("DELETE", path, undefined, options),
};
