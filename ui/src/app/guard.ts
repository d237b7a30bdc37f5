import { type MiddlewareFunction, redirect } from "react-router";
import { lockScreenPath, useSession, whenSessionKnown } from "@/api/session";

async function sessionState() {
  await whenSessionKnown();
  return useSession.getState().state;
}

/** Sends guests to the sign-in page and locked sessions to the unlock page; both lead back to the requested address. */
export const signedInOnly: MiddlewareFunction = async ({ request }) => {
  const state = await sessionState();
  const { pathname, search } = new URL(request.url);
  if (state === "signed-in" || (state === "locked" && [lockScreenPath, "/sign-out"].includes(pathname))) return;
  // A request never carries the fragment; on the first load the address bar still has it.
  const hash = location.pathname === pathname ? location.hash : "";
  if (pathname === "/sign-out") throw redirect("/sign-in");
  throw redirect(`${state === "locked" ? lockScreenPath : "/sign-in"}?redirectURL=${encodeURIComponent(pathname + search + hash)}`);
};

/** Sends signed-in members to the root; a link from an e-mail goes to the screen that handles it. */
export const guestOnly: MiddlewareFunction = async ({ request }) => {
  if ((await sessionState()) === "guest") return;
  const { pathname } = new URL(request.url);
  const hash = location.pathname === pathname ? location.hash : "";
  throw redirect(pathname === "/activate-account" && hash.length > 1 ? `/settings/account${hash}` : "/");
};
