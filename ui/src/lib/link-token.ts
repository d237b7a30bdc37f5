import { useEffect, useState } from "react";

/** Tokens of the links that opened pages, in memory only: neither the address nor any storage keeps one. */
const taken = new Map<string, string>();

/** Returns the token of the link that opened this page, and removes it from the address. */
export function takeLinkToken(): string | undefined {
  const { pathname, search, hash } = location;
  if (/^#[\w.-]{16,}$/.test(hash)) {
    taken.set(pathname, hash.slice(1));
    history.replaceState(history.state, "", pathname + search);
  }
  return taken.get(pathname);
}

/** Returns the token of the link that opened this page, or of a later change of its address. */
export function useLinkToken(): string | undefined {
  const [token, setToken] = useState(takeLinkToken);
  useEffect(() => {
    const update = () => setToken(takeLinkToken());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return token;
}

/** Drops the page's token, which can be used only once. */
export function dropLinkToken() {
  taken.delete(location.pathname);
}

/** Passes a token to another page, which is shown without a reload. */
export function handLinkToken(path: string, token: string) {
  taken.set(path, token);
}
