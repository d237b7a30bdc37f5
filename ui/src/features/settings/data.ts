import { keepPreviousData, queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type {
  AuditFilter,
  CloseCompany,
  CompanyPatch,
  CompanySettings,
  CustomerStatusesPatch,
  EmailChange,
  HandOver,
  PipelinePatch,
  SignOnInput,
  UserPatch,
} from "@/api/schema";
import { accept, setUser } from "@/api/session";
import { fetchUser } from "@/features/account/data";
import { withFactor } from "@/features/security/factor-prompt-state";
import { rememberLanguage, setLanguage } from "@/i18n";
import { queryKeysOf } from "@/records/kinds";
import { pipelineQuery } from "@/records/pipeline";
import { statusesQuery } from "@/records/statuses";
import type { Appearance, Audience } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";

/** Changes the member's own record; the form shows errors. */
export function useSaveAccount() {
  return useMutation({
    mutationFn: (patch: UserPatch) => api.patch("/api/common/user", patch),
    meta: { handled: true },
    onSuccess: async (user, { locale }) => {
      setUser(user);
      if (!locale) return;
      await setLanguage(user.locale);
      rememberLanguage(user.locale);
    },
  });
}

/** Saves a previewed appearance, for the member or the company; the screen shows it already. */
export function useSaveAppearance() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ audience, appearance }: { audience: Audience; appearance: Appearance }) => {
      if (audience === "me") {
        setUser(await api.patch("/api/common/user", appearance));
        return;
      }
      const company = await api.patch("/api/settings/company", {
        ...(appearance.layout && { layout: appearance.layout }),
        ...(appearance.scheme && { color_scheme: appearance.scheme }),
      });
      client.setQueryData(companyQuery.queryKey, company);
      showCompany(company);
    },
  });
}

/** Shows the company's name, colours and layout on this screen at once. */
function showCompany({ name, color_scheme, layout, supportLink, logotipo_dark, logotipo_light }: CompanySettings) {
  const logos = { logotipo_dark: logotipo_dark ?? null, logotipo_light: logotipo_light ?? null };
  const before = useCompanyInfo.getState().company;
  useCompanyInfo.setState({ company: { ...before, ...logos, name, color_scheme, layout, support_link: supportLink ?? null } });
}

/** Requests a change of the e-mail address, which the link in an e-mail to the new address confirms. */
export const useChangeEmail = () =>
  useMutation({
    mutationFn: (form: EmailChange) => withFactor((proof) => api.post("/api/common/user/email", { ...form, ...proof })),
    meta: { handled: true },
  });

/** What concerns the company in the condition of the server. */
export const healthQuery = queryOptions({
  queryKey: ["settings", "health"],
  queryFn: ({ signal }) => api.get("/api/settings/company/health", { signal }),
  refetchInterval: 60_000,
});

/** Sends a test e-mail to the member; resolves when the mail server has accepted it. */
export function useTestMail() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post("/api/settings/company/mail/test"),
    onSettled: () => client.invalidateQueries({ queryKey: ["setup"] }),
  });
}

export const readLink = (token: string) => api.post("/api/auth/link", { token });

/** Confirms a new address by a link. */
export async function confirmEmail(token: string): Promise<void> {
  accept(await api.post("/api/auth/activate-account", { token }));
}

export const companyQuery = queryOptions({
  queryKey: ["settings", "company"],
  queryFn: ({ signal }) => api.get("/api/settings/company", { signal }),
});

/** Reads the company's current settings. */
export function useReadCompany() {
  const client = useQueryClient();
  return () => client.fetchQuery({ ...companyQuery, staleTime: 0 });
}

/** Changes the company; the name and colours on this screen follow at once. */
export function useSaveCompany(version: number | undefined) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: CompanyPatch) => api.patch("/api/settings/company", patch, { header: ifMatch(version) }),
    meta: { handled: true },
    onSuccess: async (company) => {
      client.setQueryData(companyQuery.queryKey, company);
      showCompany(company);
      setUser(await fetchUser());
    },
  });
}

/** Changes the stages of deals and the reasons why they are won or lost. */
export function useSavePipeline(version: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: PipelinePatch) => api.patch("/api/deals/pipeline", patch, { header: ifMatch(version) }),
    meta: { handled: true },
    onSuccess: (pipeline) => {
      client.setQueryData(pipelineQuery.queryKey, pipeline);
      for (const queryKey of queryKeysOf("deal")) void client.invalidateQueries({ queryKey });
    },
  });
}

/** How many people with a status a retention concerns today. */
export const retentionQuery = (status: string, months: number) =>
  queryOptions({
    queryKey: ["customers", "retention", status, months],
    queryFn: ({ signal }) => api.get("/api/customers/retention", { query: { status, months }, signal }),
    staleTime: 30_000,
  });

/** Changes the statuses of customers. */
export function useSaveStatuses(version: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (patch: CustomerStatusesPatch) => api.patch("/api/customers/statuses", patch, { header: ifMatch(version) }),
    meta: { handled: true },
    onSuccess: (statuses) => {
      client.setQueryData(statusesQuery.queryKey, statuses);
      for (const queryKey of queryKeysOf("customer")) void client.invalidateQueries({ queryKey });
    },
  });
}

/** Transfers the ownership to another member; the member's own permissions change with it. */
export function useHandOver() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (form: HandOver) => withFactor((proof) => api.post("/api/settings/company/hand-over", { ...form, ...proof })),
    meta: { handled: true },
    onSuccess: async () => {
      setUser(await fetchUser());
      await client.invalidateQueries({ queryKey: ["team"] });
    },
  });
}

/** Closes the company, including the member's own account. */
export const useCloseCompany = () =>
  useMutation({
    mutationFn: (form: CloseCompany) => withFactor((proof) => api.post("/api/settings/company/close", { ...form, ...proof })),
    meta: { handled: true },
  });

export const signOnQuery = queryOptions({
  queryKey: ["settings", "single-sign-on"],
  queryFn: ({ signal }) => api.get("/api/settings/single-sign-on", { signal }),
});

export function useSaveSignOn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: SignOnInput) => api.put("/api/settings/single-sign-on", input),
    meta: { handled: true },
    onSuccess: (kept) => client.setQueryData(signOnQuery.queryKey, kept),
  });
}

export function useRemoveSignOn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.delete("/api/settings/single-sign-on"),
    onSuccess: () => client.invalidateQueries({ queryKey: signOnQuery.queryKey }),
  });
}

export const auditPage = 50;

/** The audit log, newest first. */
export const auditQuery = (filter: AuditFilter) =>
  queryOptions({
    queryKey: ["settings", "audit", filter],
    queryFn: ({ signal }) => api.get("/api/audit", { query: { ...filter, limit: auditPage }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
