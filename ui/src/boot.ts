/**
 * The first script of the page: requests everything that the first screen needs in parallel, before the libraries that
 * render it have loaded.
 */
import type { PathOf, SignedIn } from "./api/schema";
import type { defaultFlowDays } from "./features/dashboard/data";
import { readStorage, refreshUrl, requestToken, startBootRequest, storageKeys, withRefreshLock } from "./lib/boot-requests";
import { requestHeaders } from "./lib/request-headers";
import { readPageConfig } from "./shell/page-config";

/** A call as it is requested, with its query. */
type Call = PathOf<"get"> | `${PathOf<"get">}?${string}`;

/** The calls of every signed-in screen on entry. */
const onEntry: PathOf<"get">[] = [
  "/api/live",
  "/api/global/version",
  "/api/global/navigation",
  "/api/common/messages",
  "/api/common/notifications",
  "/api/apps/chat/chats",
  "/api/common/shortcuts",
];

/** Returns the calls and chunks of a screen; only the usual start screen has any. */
function ofScreen(path: string): { calls: Call[]; parts: (() => Promise<unknown>)[] } {
  if (!["/", "/dashboard", "/dashboards/project"].includes(path)) return { calls: [], parts: [] };
  return {
    calls: ["/api/dashboards/project?days=14" satisfies `/api/dashboards/project?days=${typeof defaultFlowDays}`],
    parts: [() => import("./features/dashboard/dashboard-frame"), () => import("./features/dashboard/project-page")],
  };
}

/** Refreshes the session, and then starts these calls with its token. */
async function enter(language: string, calls: Call[]): Promise<Response> {
  const answer = await withRefreshLock(() => requestToken(language));
  if (!answer.ok) return answer;
  const { accessToken, user } = (await answer.clone().json()) as SignedIn;
  const headers = requestHeaders(user.locale, accessToken);
  for (const path of calls) void startBootRequest(path, () => fetch(path, { headers }));
  return answer;
}

const { locale = "en" } = readPageConfig();
const language = readStorage(storageKeys.language) ?? locale;
const catalogue = `./i18n/${language}.json`;
void startBootRequest(catalogue, () => fetch(catalogue));

const parts: (() => Promise<unknown>)[] = [];
if (readStorage(storageKeys.memberId)) {
  const screen = ofScreen(location.pathname);
  void startBootRequest(refreshUrl satisfies PathOf<"post">, () => enter(language, [...onEntry, ...screen.calls]));
  parts.push(
    () => import("./app/start-router"),
    () => import("./app/shell"),
    ...screen.parts,
  );
} else {
  const version: Call = "/api/global/version";
  void startBootRequest(version, () => fetch(version, { headers: requestHeaders(language) }));
  parts.push(() => import("./app/guest-entry"));
}
// A chunk that fails to load is requested again by its user, who handles the failure.
const come = parts.map((part) => part().catch(() => undefined));

import("./main").catch((error: unknown) => console.error(error));

// Loads the font after the code, because nothing can be drawn without the code; the font arrives while the code runs.
void Promise.all(come).then(() => document.fonts.load('1em "Inter Variable"'));
