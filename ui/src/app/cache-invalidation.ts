import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import type { FrameOf } from "@/api/frames";
import { setUser, useSession } from "@/api/session";
import { fetchUser } from "@/features/account/data";
import { loadCompanyInfo } from "@/features/company-info/data";
import { keepScrollAnchor } from "@/lib/scroll-anchor";

type Change = FrameOf<"record.changed">["data"];

/** What the screens keep of each kind of record. */
const queryKeysByKind: Record<string, QueryKey[]> = {
  message: [["notices", "messages"]],
  notification: [["notices", "notifications"]],
  shortcut: [["shortcuts"]],
  customer: [["customers"], ["dashboards"]],
  task: [["tasks"], ["dashboards"], ["navigation"]],
  event: [["events"], ["dashboards"], ["navigation"]],
  page: [["pages"], ["dashboards"]],
  member: [["team"], ["chats"], ["chat"], ["chat-contacts"], ["dashboards"]],
  company: [["settings"], ["navigation"]],
};

/** Milliseconds between two refreshes, so that a burst of changes comes as a few. */
const refreshThrottle = 250;
/** Milliseconds that news wait for a change of one's own under way, which they would otherwise undo on the screen. */
const mutationGrace = 3_000;

/**
 * Refreshes what is on the screen after records changed, and marks the rest as stale; what one is reading
 * stays where it is.
 */
export function startInvalidation(client: QueryClient) {
  const families = new Map<string, QueryKey>();
  const ids = new Set<string>();
  const refreshing = new Set<string>();
  let everything = false;
  let last = Number.NEGATIVE_INFINITY;
  let waitingSince: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // The record of somebody else's detail is as it was.
  const isMeant = ({ queryKey }: Query) => queryKey[1] !== "one" || ids.has(String(queryKey[2]));
  const refresh = () => {
    const keys: QueryKey[] = everything ? [[]] : [...families.values()];
    const all = everything;
    for (const queryKey of keys) {
      const predicate = (query: Query) => all || isMeant(query);
      for (const query of client.getQueryCache().findAll({ queryKey, type: "active", predicate })) refreshing.add(query.queryHash);
      void client.invalidateQueries({ queryKey, predicate });
    }
    families.clear();
    ids.clear();
    everything = false;
    waitingSince = undefined;
    last = performance.now();
  };
  const refreshSoon = () => {
    clearTimeout(timer);
    timer = undefined;
    if (!everything && families.size === 0) return;
    waitingSince ??= performance.now();
    const patience = client.isMutating() > 0 ? waitingSince + mutationGrace - performance.now() : 0;
    const wait = Math.max(patience, last + refreshThrottle - performance.now());
    if (wait <= 0) refresh();
    else timer = setTimeout(refreshSoon, wait);
  };

  const settled = client.getMutationCache().subscribe(() => queueMicrotask(refreshSoon));
  const arrived = client.getQueryCache().subscribe((event) => {
    if (event.type !== "updated" || (event.action.type !== "success" && event.action.type !== "error")) return;
    if (refreshing.delete(event.query.queryHash)) keepScrollAnchor();
  });
  const readMe = () => fetchUser().then(setUser, () => undefined);
  const readCompany = () => loadCompanyInfo().catch(() => undefined);

  return {
    changed: ({ kind, recordId }: Change) => {
      for (const key of queryKeysByKind[kind] ?? []) families.set(JSON.stringify(key), key);
      ids.add(recordId);
      refreshSoon();
      // The person's own record and the company's are no queries: role, rights, name and scheme.
      if (kind === "company" || (kind === "member" && recordId === useSession.getState().user?.id)) void readMe();
      if (kind === "company") void readCompany();
    },
    /** Anything may have changed. */
    everything: () => {
      everything = true;
      refreshSoon();
      void readMe();
      void readCompany();
    },
    stop: () => {
      settled();
      arrived();
      clearTimeout(timer);
    },
  };
}
