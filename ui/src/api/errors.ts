import i18n from "i18next";
import type { Problem } from "./schema";

/** The codes of the server, and those for a server that does not answer or answers without one. */
type ErrorCode = Problem["code"] | "unreachable" | "unknown";

/** A response outside 200 to 299, with the body's `error`; status 0 means that the server cannot be reached. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly fields: Record<string, string>;
  /** The body's `error` field; empty if it is not an object. */
  readonly problem: Partial<Problem>;

  constructor(
    readonly status: number,
    error: unknown,
    /** Seconds to wait before a retry, if the server states them. */
    readonly retryAfter?: number,
  ) {
    const problem: Partial<Problem> = typeof error === "object" && error !== null ? error : {};
    super(problem.message ?? (typeof error === "string" ? error : `HTTP ${status}`));
    this.name = "ApiError";
    this.problem = problem;
    this.code = problem.code ?? (status === 0 ? "unreachable" : "unknown");
    this.fields = problem.fields ?? {};
  }
}

/** Returns the message to show for a failure: the server's own if it has one. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.code === "unreachable") return i18n.t("ui.error.unreachable");
    if (error.code !== "unknown") return error.message;
  }
  return i18n.t("ui.error.unexpected");
}

/** Returns the server's message for one field. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.fields[field] : undefined;
}
