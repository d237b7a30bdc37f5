import { loading } from "@/lib/loading";
import { callHeaders } from "./call-headers";
import { ApiError } from "./errors";
import { followRefusal } from "./request";
import { bearerToken } from "./session";

/** Returns the `error` of a response outside 200 to 299. */
async function refusalOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  return new ApiError(response.status, typeof body === "object" && body !== null && "error" in body ? body.error : body);
}

/** Returns the name that the server gives a file, as RFC 8187 writes it. */
function serverName(response: Response): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get("content-disposition") ?? "")?.[1];
  try {
    return encoded && decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

/**
 * Downloads what a call answers as a file, with the name that the server gives it, or else `name`. A link cannot do it,
 * because it sends no token.
 * Errors: the server's refusal.
 */
export async function download(path: string, name: string): Promise<void> {
  loading.setStatus(true, path);
  try {
    const headers = callHeaders(await bearerToken());
    const response = await fetch(path, { headers }).catch(() => {
      throw new ApiError(0, { code: "unreachable" });
    });
    if (!response.ok) {
      const failure = await refusalOf(response);
      followRefusal(failure);
      throw failure;
    }
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = serverName(response) ?? name;
    link.click();
    URL.revokeObjectURL(link.href);
  } finally {
    loading.setStatus(false, path);
  }
}
