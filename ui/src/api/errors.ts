import i18n from "i18next";

interface ErrorBody {
  code?: string;
  message?: string;
  fields?: Record<string, string>;
  requestId?: string;
}

/** A response outside 200 to 299, with the body's `error`; status 0 means that the server cannot be reached. */
export class ApiError extends Error {
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor(
    readonly status: number,
    /** The body's `error` field, unchanged. */
    readonly error: unknown,
    /** Seconds to wait before a retry, if the server states them. */
    readonly retryAfter?: number,
  ) {
    const body = (typeof error === "object" && error !== null ? error : {}) as ErrorBody;
    super(body.message ?? (typeof error === "string" ? error : `HTTP ${status}`));
    this.name = "ApiError";
    this.code = body.code ?? (status === 0 ? "unreachable" : "unknown");
    this.fields = body.fields ?? {};
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
