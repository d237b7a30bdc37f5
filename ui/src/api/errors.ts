import i18n from "i18next";

interface ErrorBody {
  code?: string;
  message?: string;
  fields?: Record<string, string>;
  requestId?: string;
}

/** An answer outside 200 to 299, carrying the body's `error`; status 0 is a server out of reach. */
export class ApiError extends Error {
  readonly code: string;
  readonly fields: Record<string, string>;

  constructor(
    readonly status: number,
    /** What the body's `error` field held, as it came. */
    readonly error: unknown,
    /** Seconds the server asks to wait, where it says so. */
    readonly retryAfter?: number,
  ) {
    const body = (typeof error === "object" && error !== null ? error : {}) as ErrorBody;
    super(body.message ?? (typeof error === "string" ? error : `HTTP ${status}`));
    this.name = "ApiError";
    this.code = body.code ?? (status === 0 ? "unreachable" : "unknown");
    this.fields = body.fields ?? {};
  }
}

/** The sentence to show for a failure: the server's own where there is one. */
export function errorText(error: unknown): string {
  if (error instanceof ApiError) {
    if (error.code === "unreachable") return i18n.t("ui.error.unreachable");
    if (error.code !== "unknown") return error.message;
  }
  return i18n.t("ui.error.unexpected");
}

/** What is wrong with one field, by the server's word. */
export function fieldError(error: unknown, field: string): string | undefined {
  return error instanceof ApiError ? error.fields[field] : undefined;
}
