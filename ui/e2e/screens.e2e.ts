import type { RouteObject } from "react-router";
import { describe, expect } from "vitest";
import { routes } from "@/app/routes";
import { caller } from "./api";
import { lane } from "./lane";
import { people } from "./server";
import { at, look, place, test } from "./stage";

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
const guests = all.filter((path) => path === "home" || guestOnly.includes(path));
// Signing out and unlocking are journeys of their own; the redirect has no screen.
const members = all.filter((path) => ![...guestOnly, "sign-out", "unlock-session", "signed-in-redirect"].includes(path));

describe.each(["en", "es"])("in %s", (language) => {
  test.for(guests)("a guest at /%s", async (path, { visit }) => {
    const { page, open } = await visit({ locale: language });
    await open(`/${path}`);
    await look(page, `guest/${path}`, language);
  });

  test.for(members)("a member at /%s", async (path, { visit }) => {
    const address = path.includes(":") ? lane().samples[path] : `/${path}`;
    if (!address) throw new Error(`Which record shows /${path}? Say so in e2e/data.ts.`);
    const ada = await caller(at(undefined), people.ada.email);
    await ada.call("PATCH", "/api/common/user", { locale: language });
    const { page, open } = await visit({ as: people.ada, locale: language });
    await open(address);
    // The settings open with their first section.
    expect(place(page).startsWith(address), place(page)).toBe(true);
    expect(await page.locator("html").getAttribute("lang")).toBe(language);
    await look(page, path, language);
    await ada.call("PATCH", "/api/common/user", { locale: "en" });
  });
});
