import { type MiddlewareFunction, redirect } from "react-router";
import { lockScreen, ready, useSession } from "@/api/session";

async function present() {
  await ready();
  return useSession.getState().state;
}

/**
 * Sends who is not signed in to the sign-in page, and whose session is locked to where it is unlocked; both
 * lead back to where they wanted to go.
 */
export const signedInOnly: MiddlewareFunction = async ({ request }) => {
  const state = await present();
  const { pathname, search } = new URL(request.url);
  if (state === "signed-in" || (state === "locked" && [lockScreen, "/sign-out"].includes(pathname))) return;
  // A request never carries the fragment; on the first load the address bar still has it.
  const hash = location.pathname === pathname ? location.hash : "";
  if (pathname === "/sign-out") throw redirect("/sign-in");
  throw redirect(`${state === "locked" ? lockScreen : "/sign-in"}?redirectURL=${encodeURIComponent(pathname + search + hash)}`);
};

/** Sends who is signed in already to the root; a link from a letter goes where the person can use it. */
export const guestOnly: MiddlewareFunction = async ({ request }) => {
  if ((await present()) === "guest") return;
  const { pathname } = new URL(request.url);
  const hash = location.pathname === pathname ? location.hash : "";
  throw redirect(pathname === "/activate-account" && hash.length > 1 ? `/settings/account${hash}` : "/");
};
