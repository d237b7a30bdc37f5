import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Factors, PasswordChange } from "@/api/schema";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await api.get("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

/** Ends one session, or all but this one. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (which: { id: string } | "others") =>
      which === "others" ? api.delete("/api/auth/sessions/others") : api.delete("/api/auth/sessions", { query: { id: which.id } }),
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

export const factorsQuery = queryOptions({
  queryKey: ["factors"],
  queryFn: ({ signal }) => api.get("/api/auth/factors", { signal }),
  staleTime: 60_000,
});

/** Whether the member has a password; true until the server has answered. */
export const useHasPassword = () => useQuery(factorsQuery).data?.password !== false;

export const hasFactor = ({ totp, passkeys }: Factors) => totp || passkeys.length > 0;

/** Changes the second factors: updates the list; the screen shows errors. */
function useChange<Given, Answer>(change: (given: Given) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: change,
    meta: { handled: true },
    onSuccess: () => client.invalidateQueries({ queryKey: factorsQuery.queryKey }),
  });
}

export const useBeginTotp = () =>
  useMutation({
    mutationFn: (password: string) => api.post("/api/auth/factors/totp", { password }),
    meta: { handled: true },
  });

export const useConfirmTotp = () => useChange((code: string) => api.post("/api/auth/factors/totp/confirm", { code }));
export const useRemoveTotp = () => useChange((password: string) => api.post("/api/auth/factors/totp/remove", { password }));
export const useNewRecoveryCodes = () => useChange((password: string) => api.post("/api/auth/factors/recovery-codes", { password }));

/** Creates a passkey in this browser and stores it under a name. */
export const useAddPasskey = () =>
  useChange(async ({ name, password }: { name: string; password: string }) => {
    const { makePasskey } = await import("@/lib/webauthn");
    const { challengeId, options } = await api.post("/api/auth/factors/passkeys/options", {
      password,
    });
    const credential = await makePasskey(options);
    return api.post("/api/auth/factors/passkeys", { challengeId, name, credential });
  });

export const useRenamePasskey = () =>
  useChange(({ id, name }: { id: string; name: string }) => api.patch("/api/auth/factors/passkeys/{id}", { name }, { path: { id } }));

export const useRemovePasskey = () =>
  useChange(({ id, password }: { id: string; password: string }) =>
    api.post("/api/auth/factors/passkeys/{id}/remove", { password }, { path: { id } }),
  );

export const useChangePassword = () => useChange((form: PasswordChange) => api.post("/api/common/user/password", form));
