import type { Query, QueryClient, QueryKey } from "@tanstack/react-query";
import type { FrameOf } from "@/api/frames";
import type { RecordKind } from "@/api/schema";
import { setUser, useSession } from "@/api/session";
import { fetchUser } from "@/features/account/data";
import { loadCompanyInfo } from "@/features/company-info/data";
import { keepScrollAnchor } from "@/lib/scroll-anchor";
import { queryKeysOf, recordKinds } from "@/records/kinds";

type Change = FrameOf<"record.changed">["data"];

/** The query keys that hold data of each kind of record. */
const queryKeysByKind: Record<string, QueryKey[]> = {
  activity: [["timeline"]],
  message: [["notices", "messages"]],
  notification: [["notices", "notifications"]],
  shortcut: [["shortcuts"]],
  company: [["settings"], ["navigation"], ["setup"]],
  comment: [["timeline"]],
  custom_field: [["fields"], ...(Object.keys(recordKinds) as RecordKind[]).flatMap(queryKeysOf)],
  duplicate_scan: [
    ["duplicates", "scan"],
    ["duplicates", "pairs"],
  ],
  import: [["imports"]],
  merge: [["merges"], ["duplicates"], ["timeline"]],
  customer_statuses: [["customer-statuses"], ["dashboards"], ...queryKeysOf("customer")],
  pipeline: [["pipeline"], ...queryKeysOf("deal")],
  record_file: [["timeline"], ["files"]],
  record_link: [["timeline"], ["links"]],
  sample_data: [["setup"]],
  setup_card: [["setup"]],
  tags: [["tags"]],
  tag_change: [["tag-change"], ["tags"]],
  view: [["views"]],
  view_defaults: [["views"]],
  ...Object.fromEntries((Object.keys(recordKinds) as RecordKind[]).map((kind) => [kind, queryKeysOf(kind)])),
};

/** Minimum milliseconds between two refreshes, so that a burst of changes causes few of them. */
const refreshThrottleMs = 250;
/** Milliseconds that invalidations and frames wait for a mutation under way, whose result they would undo on the screen. */
export const mutationGraceMs = 3_000;

/** Refreshes visible queries after records change, and marks the others as stale; the scroll position is kept. */
export function startInvalidation(client: QueryClient) {
  const families = new Map<string, QueryKey>();
  const ids = new Set<string>();
  const refreshing = new Set<string>();
  let everything = false;
  let last = Number.NEGATIVE_INFINITY;
  let waitingSince: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  // The detail query of another record has not changed.
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
    const mutationWait = client.isMutating() > 0 ? waitingSince + mutationGraceMs - performance.now() : 0;
    const wait = Math.max(mutationWait, last + refreshThrottleMs - performance.now());
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
      // The member's own record and the company's are not queries: role, rights, name and scheme.
      if (kind === "company" || (kind === "member" && recordId === useSession.getState().user?.id)) void readMe();
      if (kind === "company") void readCompany();
    },
    /** Invalidates all queries. */
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
