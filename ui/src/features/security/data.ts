import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Factors, PasswordChange } from "@/api/schema";
import { withFactor } from "./factor-prompt-state";

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await api.get("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

/** Ends another session, or all others. */
export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ which, password }: { which: { id: string } | "others"; password: string }): Promise<unknown> =>
      withFactor<unknown>((proof) =>
        which === "others"
          ? api.post("/api/auth/sessions/end-others", { password, ...proof })
          : api.post("/api/auth/sessions/end", { id: which.id, password, ...proof }),
      ),
    meta: { handled: true },
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
    mutationFn: (password: string) => withFactor((proof) => api.post("/api/auth/factors/totp", { password, ...proof })),
    meta: { handled: true },
  });

export const useConfirmTotp = () => useChange((code: string) => api.post("/api/auth/factors/totp/confirm", { code }));
export const useRemoveTotp = () =>
  useChange((password: string) => withFactor((proof) => api.post("/api/auth/factors/totp/remove", { password, ...proof })));
export const useNewRecoveryCodes = () =>
  useChange((password: string) => withFactor((proof) => api.post("/api/auth/factors/recovery-codes", { password, ...proof })));

/** Creates a passkey in this browser and stores it under a name. */
export const useAddPasskey = () =>
  useChange(async ({ name, password }: { name: string; password: string }) => {
    const { makePasskey } = await import("@/lib/webauthn");
    const { challengeId, options } = await withFactor((proof) => api.post("/api/auth/factors/passkeys/options", { password, ...proof }));
    const credential = await makePasskey(options);
    return api.post("/api/auth/factors/passkeys", { challengeId, name, credential });
  });

export const useRenamePasskey = () =>
  useChange(({ id, name }: { id: string; name: string }) => api.patch("/api/auth/factors/passkeys/{id}", { name }, { path: { id } }));

export const useRemovePasskey = () =>
  useChange(({ id, password }: { id: string; password: string }) =>
    withFactor((proof) => api.post("/api/auth/factors/passkeys/{id}/remove", { password, ...proof }, { path: { id } })),
  );

export const useChangePassword = () =>
  useChange((form: PasswordChange) => withFactor((proof) => api.post("/api/common/user/password", { ...form, ...proof })));
