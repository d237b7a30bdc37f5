/**
 * The first thing on the page: asks for everything that the first screen will need at the same time,
 * before the libraries that draw it have come.
 */
import { readStorage, refreshUrl, requestToken, startBootRequest, storageKeys, withRefreshLock } from "./lib/boot-requests";
import { readPageConfig } from "./shell/page-config";

/** What every signed-in screen asks for on entry. */
const onEntry = [
  "/api/live",
  "/api/global/version",
  "/api/global/navigation",
  "/api/common/messages",
  "/api/common/notifications",
  "/api/apps/chat/chats",
  "/api/common/shortcuts",
];

/** What a screen needs besides; only the one that most days begin with. */
function ofScreen(path: string) {
  if (!["/", "/dashboard", "/dashboards/project"].includes(path)) return { calls: [], parts: [] };
  return {
    calls: ["/api/dashboards/project?days=14"],
    parts: [() => import("./features/dashboard/dashboard-frame"), () => import("./features/dashboard/project-page")],
  };
}

/** Refreshes, and makes these calls as who one then is before anybody hears of it. */
async function enter(language: string, calls: string[]): Promise<Response> {
  const answer = await withRefreshLock(() => requestToken(language));
  if (!answer.ok) return answer;
  const { accessToken, user } = (await answer.clone().json()) as { accessToken: string; user: { locale: string } };
  const headers = { Accept: "application/json", "Accept-Language": user.locale, Authorization: `Bearer ${accessToken}` };
  for (const path of calls) void startBootRequest(path, () => fetch(path, { headers }));
  return answer;
}

const { locale = "en" } = readPageConfig();
const language = readStorage(storageKeys.language) ?? locale;
const words = `./i18n/${language}.json`;
void startBootRequest(words, () => fetch(words));

const parts: (() => Promise<unknown>)[] = [];
if (readStorage(storageKeys.signedIn)) {
  const screen = ofScreen(location.pathname);
  void startBootRequest(refreshUrl, () => enter(language, [...onEntry, ...screen.calls]));
  parts.push(
    () => import("./app/start-router"),
    () => import("./app/shell"),
    ...screen.parts,
  );
} else {
  void startBootRequest("/api/global/version", () => fetch("/api/global/version"));
  parts.push(() => import("./app/guest-entry"));
}
// A part that does not come is asked for again by who needs it, and its failure is theirs.
const come = parts.map((part) => part().catch(() => undefined));

import("./main").catch((error: unknown) => console.error(error));

// Nothing can be drawn without the code: the typeface takes none of its line, and comes while that is run.
void Promise.all(come).then(() => document.fonts.load('1em "Inter Variable"'));
