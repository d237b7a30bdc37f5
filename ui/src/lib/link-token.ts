import { useEffect, useState } from "react";

/** Tokens of the links that opened pages, in memory only: neither the address nor any storage keeps one. */
const tokens = new Map<string, string>();

/** Returns the token of the link that opened this page, and removes it from the address. */
export function takeLinkToken(): string | undefined {
  const { pathname, search, hash } = location;
  if (/^#[\w.-]{16,}$/.test(hash)) {
    tokens.set(pathname, hash.slice(1));
    history.replaceState(history.state, "", pathname + search);
  }
  return tokens.get(pathname);
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
  tokens.delete(location.pathname);
}

/** Passes a token to another page, which is shown without a reload. */
export function handLinkToken(path: string, token: string) {
  tokens.set(path, token);
}
