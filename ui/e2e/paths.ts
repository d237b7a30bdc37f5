import type { RouteObject } from "react-router";
import { routes } from "@/app/routes";
import { lane } from "./lane";

/** Returns the paths of all screens from the application's routes. */
function paths(list: RouteObject[], parent = ""): string[] {
  return list.flatMap((route) => {
    const path = [parent, route.path].filter(Boolean).join("/");
    const own = route.path !== undefined && !route.path.includes("*") && (route.lazy || !route.loader) ? [path] : [];
    return [...own, ...paths(route.children ?? [], path)];
  });
}

const all = [...new Set(paths(routes))];
const guestOnly = ["sign-in", "sign-up", "confirmation-required", "forgot-password", "reset-password", "activate-account"];

/** Paths for guests. */
export const guestPaths = all.filter((path) => path === "home" || guestOnly.includes(path));
/** Paths for members. Signing out and unlocking have tests of their own; the redirect has no screen. */
export const memberPaths = all.filter((path) => ![...guestOnly, "sign-out", "unlock-session", "signed-in-redirect"].includes(path));

/** Returns the address of a path, with the ids of the server's sample records. */
export function addressOf(path: string, samples = lane().samples): string {
  const address = path.includes(":") ? samples[path] : `/${path}`;
  if (!address) throw new Error(`Which record shows /${path}? Add it to e2e/data.ts.`);
  return address;
}
