import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CompanySettings, SignedIn, User, UserPatch } from "@/api/schema";
import { accept, setUser } from "@/api/session";
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

/** Asks for another address: it becomes one's own by the link in the letter sent there. */
export const useChangeEmail = () =>
  useMutation({
    mutationFn: (form: { email: string; password: string }) => api.post<unknown>("/api/common/user/email", form),
    meta: { handled: true },
  });

/** What a link from a letter is for. */
export interface Link {
  purpose: "confirm" | "invite" | "reset" | "email";
  email: string;
}

export const readLink = (token: string) => api.post<Link>("/api/auth/link", { token });

/** Takes the new address that a link confirms. */
export async function confirmEmail(token: string): Promise<void> {
  accept(await api.post<SignedIn>("/api/auth/activate-account", { token }));
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
