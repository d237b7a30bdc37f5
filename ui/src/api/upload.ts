import { loading } from "@/lib/loading";
import { callHeaders } from "./call-headers";
import { ApiError } from "./errors";
import { followRefusal } from "./request";
import type { PathOf, Upload } from "./schema";
import { bearerToken } from "./session";

const files: PathOf<"post"> = "/api/files";

export interface UploadOptions {
  /** Receives the share that has been sent, from 0 to 1. */
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
  /** Headers besides those of every call. */
  headers?: Record<string, string>;
}

function readBody(request: XMLHttpRequest): unknown {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return undefined;
  }
}

/** Uploads a file to the company's files. */
export const upload = (file: File, options?: UploadOptions) => uploadTo<Upload>(files, file, options);

/**
 * Uploads a file to a path of the API; the caller states the type of the response's body. Uses XMLHttpRequest, because
 * `fetch` does not report progress.
 */
export async function uploadTo<T>(path: string, file: File, { onProgress, signal, headers }: UploadOptions = {}): Promise<T> {
  const token = await bearerToken();
  signal?.throwIfAborted();
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("POST", path);
    for (const [name, value] of Object.entries({ ...callHeaders(token), ...headers })) request.setRequestHeader(name, value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (lengthComputable && total > 0) onProgress?.(loaded / total);
    });
    request.addEventListener("load", () => {
      const answer = readBody(request);
      if (request.status >= 200 && request.status < 300) return done(answer as T);
      const error = typeof answer === "object" && answer !== null && "error" in answer ? answer.error : answer;
      const failure = new ApiError(request.status, error);
      followRefusal(failure);
      fail(failure);
    });
    request.addEventListener("loadend", () => loading.setStatus(false, path));
    request.addEventListener("error", () => fail(new ApiError(0, { code: "unreachable" })));
    request.addEventListener("abort", () => fail(signal?.reason ?? new ApiError(0, { code: "unreachable" })));
    signal?.addEventListener("abort", () => request.abort());
    const form = new FormData();
    form.set("file", file);
    loading.setStatus(true, path);
    request.send(form);
  });
}
