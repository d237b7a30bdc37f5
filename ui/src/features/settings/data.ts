import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CompanySettings, User, UserPatch } from "@/api/schema";
import { setUser } from "@/api/session";
import { fetchUser } from "@/features/account/data";
import { rememberLanguage, setLanguage } from "@/i18n";
import type { Audience, Look } from "@/lib/look";
import { useVersion } from "@/lib/version";

/** Changes the person's own record; the form says what was refused. */
export function useSaveAccount() {
  return useMutation({
    mutationFn: (patch: UserPatch) => api.patch<User>("/api/common/user", patch),
    meta: { handled: true },
    onSuccess: async (user, { locale }) => {
      setUser(user);
      if (!locale) return;
      await setLanguage(user.locale);
      rememberLanguage(user.locale);
    },
  });
}

/** Keeps a look that was tried out, for oneself or for everybody; the screen wears it already. */
export function useKeepLook() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ audience, look }: { audience: Audience; look: Look }) => {
      if (audience === "me") {
        setUser(await api.patch<User>("/api/common/user", look));
        return;
      }
      const company = await api.patch<Company>("/api/settings/company", {
        ...(look.layout && { layout: look.layout }),
        ...(look.scheme && { color_scheme: look.scheme }),
      });
      client.setQueryData(companyQuery.queryKey, company);
      showCompany(company);
    },
  });
}

/** Name, colours and layout of the company, on this screen at once. */
function showCompany({ name, color_scheme, layout, supportLink }: Company) {
  const before = useVersion.getState().company;
  useVersion.setState({ company: { ...before, name, color_scheme, layout, support_link: supportLink ?? null } });
}

/** Where the person is signed in. */
export interface OpenSession {
  id: string;
  current: boolean;
  createdAt: string;
  lastSeenAt: string;
  /** What the browser calls itself. */
  device: string;
  address: string;
}

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: async ({ signal }) => (await api.get<{ items: OpenSession[] }>("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

export function useEndSessions() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (ids: string[]) => {
      for (const id of ids) await api.delete<void>("/api/auth/sessions", { query: { id } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

export type Company = CompanySettings & { version?: number };
export type CompanyPatch = Partial<CompanySettings>;

export const companyQuery = queryOptions({
  queryKey: ["settings", "company"],
  queryFn: ({ signal }) => api.get<Company>("/api/settings/company", { signal }),
});

/** Changes the company for everybody; the name and colours on this screen follow at once. */
export function useSaveCompany(version: number | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: CompanyPatch) =>
      api.patch<Company>("/api/settings/company", patch, version === undefined ? {} : { headers: { "If-Match": `"${version}"` } }),
    meta: { handled: true },
    onSuccess: async (company) => {
      client.setQueryData(companyQuery.queryKey, company);
      showCompany(company);
      setUser(await fetchUser());
    },
  });
}
