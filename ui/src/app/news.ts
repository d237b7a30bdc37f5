import type { QueryClient, QueryKey } from "@tanstack/react-query";
import { type Change, listen, type News } from "@/api/live";
import { setUser, useSession } from "@/api/session";
import { fetchUser } from "@/features/account/data";
import { loadVersion } from "@/features/version/data";

/** What the screens keep of each kind of record, besides what is kept under the kind's own name. */
const concerned: Record<string, (change: Change) => QueryKey[]> = {
  message: () => [["notices", "messages"]],
  notification: () => [["notices", "notifications"]],
  chat: ({ recordId }) => [["chats"], ["chat", recordId]],
  shortcut: () => [["shortcuts"]],
  customer: () => [["customers"], ["dashboards"]],
  task: () => [["tasks"], ["dashboards"], ["navigation"]],
  event: () => [["events"], ["dashboards"], ["navigation"]],
  page: () => [["pages"], ["dashboards"]],
  member: () => [["team"], ["chats"], ["chat"], ["chat-contacts"], ["dashboards"]],
  company: () => [["settings"], ["navigation"]],
};

/** Milliseconds that news wait for a change of one's own under way, which they would otherwise undo on the screen. */
const courtesy = 3_000;

/** Keeps what is on the screen current with what happens on the server after a place, until the answered function is called. */
export function followNews(client: QueryClient, place: number | undefined): () => void {
  const waiting = new Map<string, QueryKey>();
  let everything = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const refresh = () => {
    clearTimeout(timer);
    timer = undefined;
    if (everything) void client.invalidateQueries();
    else for (const queryKey of waiting.values()) void client.invalidateQueries({ queryKey });
    everything = false;
    waiting.clear();
  };
  const refreshSoon = () => {
    if (!everything && waiting.size === 0) return;
    if (client.isMutating() === 0) refresh();
    else timer ??= setTimeout(refresh, courtesy);
  };

  const hear = ({ changes, resync }: News) => {
    const me = useSession.getState().user?.id;
    everything ||= resync;
    for (const change of changes) {
      for (const key of concerned[change.kind]?.(change) ?? []) waiting.set(JSON.stringify(key), key);
    }
    refreshSoon();
    // The person's own record and the company's are no queries: role, rights, name and scheme.
    const ofCompany = resync || changes.some(({ kind }) => kind === "company");
    if (ofCompany || changes.some(({ kind, recordId }) => kind === "member" && recordId === me)) {
      fetchUser().then(setUser, () => undefined);
    }
    if (ofCompany) loadVersion().catch(() => undefined);
  };

  const settled = client.getMutationCache().subscribe(() => queueMicrotask(refreshSoon));
  const stop = listen(place, hear);
  return () => {
    stop();
    settled();
    clearTimeout(timer);
  };
}
