import { useCallback, useEffect, useState } from "react";
import { ApiError } from "@/api/errors";
import type { MailedLink } from "@/api/schema";
import { useLinkToken } from "@/lib/link-token";
import { readLink } from "./data";

type Read = { state: "reading" | "gone" } | { state: "failed"; error: unknown } | { state: "read"; link: MailedLink };

/** Reads the purpose of the link that opened this page. */
export function useLink() {
  const token = useLinkToken();
  const [read, setRead] = useState<Read>({ state: token ? "reading" : "gone" });
  const load = useCallback(() => {
    if (!token) return;
    setRead({ state: "reading" });
    readLink(token).then(
      (link) => setRead({ state: "read", link }),
      // Only the server's answer makes a link invalid; a lost connection does not.
      (error: unknown) =>
        setRead(error instanceof ApiError && error.status >= 400 && error.status < 429 ? { state: "gone" } : { state: "failed", error }),
    );
  }, [token]);
  useEffect(load, [load]);
  return { token: token ?? "", read, retry: load, gone: useCallback(() => setRead({ state: "gone" }), []) };
}

/** Whether an error says that the link can no longer be used. */
export const isLinkGone = (error: unknown) => error instanceof ApiError && error.code === "link_invalid";
