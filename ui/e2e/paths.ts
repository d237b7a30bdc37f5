import type { RouteObject } from "react-router";
import { routes } from "@/app/routes";
import { lane } from "./lane";

/** The paths of all screens, by the application's own table. */
function paths(list: RouteObject[], parent = ""): string[] {
  return list.flatMap((route) => {
    const path = [parent, route.path].filter(Boolean).join("/");
    const own = route.path !== undefined && !route.path.includes("*") && (route.lazy || !route.loader) ? [path] : [];
    return [...own, ...paths(route.children ?? [], path)];
  });
}

const all = [...new Set(paths(routes))];
const guestOnly = ["sign-in", "sign-up", "confirmation-required", "forgot-password", "reset-password", "activate-account"];

/** What a guest may open. */
export const guestPaths = all.filter((path) => path === "home" || guestOnly.includes(path));
/** What a member may open. Signing out and unlocking are journeys of their own; the redirect has no screen. */
export const memberPaths = all.filter((path) => ![...guestOnly, "sign-out", "unlock-session", "signed-in-redirect"].includes(path));

/** The address of a path: a record's is that of a sample on the server that is visited. */
export function addressOf(path: string, samples = lane().samples): string {
  const address = path.includes(":") ? samples[path] : `/${path}`;
  if (!address) throw new Error(`Which record shows /${path}? Add it to e2e/data.ts.`);
  return address;
}
