import { type MiddlewareFunction, redirect } from "react-router";
import { ready, useSession } from "@/api/session";

async function signedIn(): Promise<boolean> {
  await ready();
  return useSession.getState().state === "signed-in";
}

/** Sends who is not signed in to the sign-in page, which leads back to where they wanted to go. */
export const signedInOnly: MiddlewareFunction = async ({ request }) => {
  if (await signedIn()) return;
  const { pathname, search } = new URL(request.url);
  // A request never carries the fragment; on the first load the address bar still has it.
  const hash = location.pathname === pathname ? location.hash : "";
  if (pathname === "/sign-out") throw redirect("/sign-in");
  throw redirect(`/sign-in?redirectURL=${encodeURIComponent(pathname + search + hash)}`);
};

/** Sends who is signed in already to the root. */
export const guestOnly: MiddlewareFunction = async () => {
  if (await signedIn()) throw redirect("/");
};
