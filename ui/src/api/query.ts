import { MutationCache, QueryClient } from "@tanstack/react-query";
import { toast } from "@/lib/toast";
import { ApiError, errorText } from "./errors";
import { useSession } from "./session";

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: { /** Whether the screen shows the failure itself, at the field or the item. */ handled?: boolean };
  }
}

/** Milliseconds between refreshes of data that frames keep current, in case none arrive. */
export const fallbackRefreshMs = 60_000;
/** Milliseconds between refreshes of what changes with the time: figures such as overdue tasks, and the navigation. */
export const timedRefreshMs = 5 * 60_000;

/** Milliseconds until a list is read again that may lack records. */
const partialRefreshMs = 3_000;

/** Whether an answer says that it may lack records. */
const isPartial = (data: unknown) => typeof data === "object" && data !== null && "partial" in data && data.partial === true;

/** Whether a retry may succeed: a server error, no connection, or a rate limit. */
const mayPass = (error: unknown) => !(error instanceof ApiError) || error.status < 400 || error.status === 429 || error.status >= 500;

/** The cache of server responses. Lists show cached data and refresh in the background. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchInterval: ({ state }) => (isPartial(state.data) ? partialRefreshMs : false),
      retry: (failures, error) => failures < 2 && mayPass(error),
    },
    mutations: { retry: false },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      if (mutation.meta?.handled) return;
      if (error instanceof ApiError && error.status === 401) return;
      toast.error(errorText(error));
    },
  }),
});

// Cached data of one member must not be shown to the next member in the same browser.
useSession.subscribe((now, before) => {
  if (before.user && now.user?.id !== before.user.id) queryClient.clear();
});

/** Asks before the page is left that a change waits in: it would be lost with the page. */
const ask = (event: BeforeUnloadEvent) => event.preventDefault();

// Without a connection, a change waits for one. What the outboxes keep is no change here.
queryClient.getMutationCache().subscribe(() => {
  const waits = queryClient
    .getMutationCache()
    .getAll()
    .some(({ state }) => state.isPaused);
  if (waits) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
});
