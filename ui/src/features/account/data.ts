import { useMutation } from "@tanstack/react-query";
import { api } from "@/api/client";
import { errorText } from "@/api/errors";
import type { Permission, User, UserPatch } from "@/api/schema";
import { setUser, showLockScreen, useSession } from "@/api/session";
import { toast } from "@/lib/toast";

export const fetchUser = () => api.get("/api/common/user");

/** Returns the signed-in member; only within the signed-in part of the application. */
export function useUser(): User {
  const user = useSession((state) => state.user);
  if (!user) throw new Error("Nobody is signed in");
  return user;
}

/** Whether the member has a permission; the screen hides actions that are not allowed. */
export function useMay(permission: Permission): boolean {
  return useSession((state) => state.user?.permissions.includes(permission) ?? false);
}

/** Returns the user after a patch; null removes a value. */
function withPatch(user: User, patch: UserPatch): User {
  const changed = Object.entries({ ...user, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(changed) as unknown as User;
}

/** Changes the member's own record: shown at once, reverted when the server refuses. */
export function useUpdateUser() {
  return useMutation({
    mutationFn: (patch: UserPatch) => api.patch("/api/common/user", patch),
    onMutate: (patch) => {
      const before = useSession.getState().user;
      if (before) setUser(withPatch(before, patch));
      return before;
    },
    onSuccess: setUser,
    onError: (_error, _patch, before) => before && setUser(before),
  });
}

/**
 * Locks the session in all tabs; typed input is kept. After too much idle time the lock screen appears even if the
 * server cannot be reached, because the server measures the time itself.
 */
export async function lockSession({ always = false } = {}): Promise<void> {
  try {
    await api.post("/api/auth/lock-session");
  } catch (error) {
    if (!always) {
      // Locked or ended already: the client goes to the right page.
      if (useSession.getState().state === "signed-in") toast.error(errorText(error));
      return;
    }
  }
  if (useSession.getState().state === "signed-in") showLockScreen();
}
