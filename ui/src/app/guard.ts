import { type MiddlewareFunction, redirect } from "react-router";
import { lockScreen, ready, useSession } from "@/api/session";

async function present() {
  await ready();
  return useSession.getState().state;
}

/** Sends guests to the sign-in page and locked sessions to the unlock page; both lead back to the requested address. */
export const signedInOnly: MiddlewareFunction = async ({ request }) => {
  const state = await present();
  const { pathname, search } = new URL(request.url);
  if (state === "signed-in" || (state === "locked" && [lockScreen, "/sign-out"].includes(pathname))) return;
  // A request never carries the fragment; on the first load the address bar still has it.
  const hash = location.pathname === pathname ? location.hash : "";
  if (pathname === "/sign-out") throw redirect("/sign-in");
  throw redirect(`${state === "locked" ? lockScreen : "/sign-in"}?redirectURL=${encodeURIComponent(pathname + search + hash)}`);
};

/** Sends signed-in members to the root; a link from an e-mail goes to the screen that handles it. */
export const guestOnly: MiddlewareFunction = async ({ request }) => {
  if ((await present()) === "guest") return;
  const { pathname } = new URL(request.url);
  const hash = location.pathname === pathname ? location.hash : "";
  throw redirect(pathname === "/activate-account" && hash.length > 1 ? `/settings/account${hash}` : "/");
};
