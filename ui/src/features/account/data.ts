import { useMutation } from "@tanstack/react-query";
import { api } from "@/api/client";
import { errorText } from "@/api/errors";
import type { Permission, User, UserPatch } from "@/api/schema";
import { locked, setUser, useSession } from "@/api/session";
import { toast } from "@/lib/toast";

export const fetchUser = () => api.get<User>("/api/common/user");

/** The person at hand; only within the signed-in part of the application. */
export function useUser(): User {
  const user = useSession((state) => state.user);
  if (!user) throw new Error("Nobody is signed in");
  return user;
}

/** Whether the person may do it; what is not allowed is not shown. */
export function useMay(permission: Permission): boolean {
  return useSession((state) => state.user?.permissions.includes(permission) ?? false);
}

/** The person as they will be: what is null goes. */
function withPatch(user: User, patch: UserPatch): User {
  const changed = Object.entries({ ...user, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(changed) as unknown as User;
}

/** Changes the person's own record: shown at once, taken back when the server refuses. */
export function useUpdateUser() {
  return useMutation({
    mutationFn: (patch: UserPatch) => api.patch<User>("/api/common/user", patch),
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
 * Locks the session, here and in all tabs; what is being typed is kept. Who has been away too long sees the lock
 * screen even when the server cannot be told: it keeps the time itself.
 */
export async function lockSession({ always = false } = {}): Promise<void> {
  try {
    await api.post<void>("/api/auth/lock-session");
  } catch (error) {
    if (!always) {
      // Locked or ended already: the client leads where that leads.
      if (useSession.getState().state === "signed-in") toast.error(errorText(error));
      return;
    }
  }
  if (useSession.getState().state === "signed-in") locked();
}
