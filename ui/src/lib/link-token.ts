import { useEffect, useState } from "react";

/** Tokens that pages were opened with, in memory only: neither the address nor any storage keeps one. */
const taken = new Map<string, string>();

/** The token of the link that opened this page; it leaves the address at once. */
export function takeLinkToken(): string | undefined {
  const { pathname, search, hash } = location;
  if (/^#[\w.-]{16,}$/.test(hash)) {
    taken.set(pathname, hash.slice(1));
    history.replaceState(history.state, "", pathname + search);
  }
  return taken.get(pathname);
}

/** The token of the link that opened this page, or of one that was put into its address since. */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState(takeLinkToken);
  useEffect(() => {
    const look = () => setToken(takeLinkToken());
    addEventListener("hashchange", look);
    return () => removeEventListener("hashchange", look);
  }, []);
  return token;
}

/** What was used once is of no use any more. */
export function dropLinkToken() {
  taken.delete(location.pathname);
}

/** Hands a token on to another page, which is shown without a reload. */
export function handLinkToken(path: string, token: string) {
  taken.set(path, token);
}
