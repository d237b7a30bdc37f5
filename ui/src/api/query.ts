import { MutationCache, QueryClient } from "@tanstack/react-query";
import { toast } from "@/lib/toast";
import { ApiError, errorText } from "./errors";
import { useSession } from "./session";

declare module "@tanstack/react-query" {
  interface Register {
    mutationMeta: { /** The screen shows the failure itself, at the field or the item. */ handled?: boolean };
  }
}

/** Whether it may be answered in a moment: the server was at fault, or not reached, or asked too much at once. */
const mayPass = (error: unknown) => !(error instanceof ApiError) || error.status < 400 || error.status === 429 || error.status >= 500;

/** The cache of what the server said. Lists show what is cached and refresh behind. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && mayPass(error),
    },
    mutations: { retry: false },
  },
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, _mutation) => {
      if (_mutation.meta?.handled) return;
      if (error instanceof ApiError && error.status === 401) return;
      toast.error(errorText(error));
    },
  }),
});

// What one person was told is nothing for the next one at the same browser.
useSession.subscribe((now, before) => {
  if (before.user && now.user?.id !== before.user.id) queryClient.clear();
});
