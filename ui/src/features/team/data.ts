import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import type { List, Member, MemberFilter, MemberPatch, NewInvitations, NewMember } from "@/api/schema";
import { useMay } from "@/features/account/data";

export const teamPage = 50;

export const teamQuery = (filter: MemberFilter) =>
  queryOptions({
    queryKey: ["team", "list", filter],
    queryFn: ({ signal }) => api.get("/api/team", { query: { ...filter, limit: teamPage }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** The states of members. */
export const states: Member["state"][] = ["active", "invited", "unconfirmed", "suspended"];

/** How many members are in each state, where there are any. */
export const stateCountsQuery = queryOptions({
  queryKey: ["team", "states"],
  queryFn: ({ signal }) =>
    Promise.all(
      states.map(async (state) => ({ state, count: (await api.get("/api/team", { query: { state, limit: 1 }, signal })).total })),
    ).then((counts) => counts.filter(({ count }) => count > 0)),
});

/** Maximum pages of 200 read for a choice: a longer list is not useful for choosing. */
const maxPages = 5;

/** All members of the company, for choices and names. */
const membersQuery = queryOptions({
  queryKey: ["team", "everybody"],
  queryFn: async ({ signal }) => {
    const found: Member[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const answer: List<Member> = await api.get("/api/team", { query: { limit: 200, cursor }, signal });
      found.push(...answer.items);
      cursor = answer.nextCursor;
      if (!cursor) break;
    }
    return found;
  },
  staleTime: 5 * 60_000,
});

/** Former members, whose names their work still shows. */
const formerQuery = queryOptions({
  queryKey: ["team", "former"],
  queryFn: async ({ signal }) => (await api.get("/api/team/former", { signal })).items,
  staleTime: 5 * 60_000,
});

/** A person to name: a colleague or a former member. */
export type Named = Pick<Member, "id" | "name" | "avatar">;

/**
 * Returns the company's members by id; empty until they have loaded. Former members are loaded when an id is missing.
 */
export function useMembers() {
  const { t } = useTranslation();
  const { data } = useQuery(membersQuery);
  const missed = useRef(false);
  const [asked, setAsked] = useState(false);
  const { data: former } = useQuery({ ...formerQuery, enabled: asked });
  useEffect(() => {
    if (missed.current && !asked) setAsked(true);
  });
  const find = (id: string | undefined): Named | undefined => {
    const member = id ? data?.find((one) => one.id === id) : undefined;
    if (member || !id || !data) return member;
    missed.current = true;
    const gone = former?.find((one) => one.id === id);
    return gone && { id, name: t("ui.team.former", { name: gone.name }) };
  };
  return { members: data ?? [], find };
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["team"] });
}

export function useAddMember() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (member: NewMember) => api.post("/api/team", member),
    meta: { handled: true },
    onSuccess: refresh,
  });
}

/** Changes a member; shown in the list at once. */
export function useChangeMember() {
  const client = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, patch }: { id: string; patch: MemberPatch }) => api.patch("/api/team/{id}", patch, { path: { id } }),
    onMutate: ({ id, patch }) => {
      const { role, state } = patch;
      client.setQueriesData<List<Member>>({ queryKey: ["team", "list"] }, (page) =>
        page
          ? { ...page, items: page.items.map((one) => (one.id === id ? { ...one, ...(role && { role }), ...(state && { state }) } : one)) }
          : page,
      );
    },
    onSettled: refresh,
  });
}

/** Invites people; returns a result for each address. */
export function useInvite() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (invite: NewInvitations) => (await api.post("/api/team/invitations", invite)).items,
    meta: { handled: true },
    onSuccess: refresh,
  });
}

/** Whether the server sends e-mail; for administrators. */
export const mailQuery = queryOptions({
  queryKey: ["settings", "mail"],
  queryFn: ({ signal }) => api.get("/api/settings/company/mail", { signal }),
  staleTime: 5 * 60_000,
});

/** Whether the server is known to have no mail server. */
export function useMailOff() {
  const may = useMay("settings.company");
  const { data } = useQuery({ ...mailQuery, enabled: may });
  return data?.configured === false;
}

/** Creates another invitation link to copy, if no e-mail is sent. */
export function useInvitationLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => (await api.post("/api/team/{id}/invitation-link", {}, { path: { id } })).link,
    // A mail server may have been set up since.
    onError: () => client.invalidateQueries({ queryKey: mailQuery.queryKey }),
  });
}

/** Creates a link with which a member chooses a new password, if no e-mail is sent. */
export function usePasswordLink() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (id: string) => (await api.post("/api/team/{id}/password-link", {}, { path: { id } })).link,
    // A mail server may have been set up since.
    onError: () => client.invalidateQueries({ queryKey: mailQuery.queryKey }),
  });
}

export const useResend = () =>
  useMutation({ mutationFn: (id: string) => api.post("/api/team/{id}/resend-invitation", {}, { path: { id } }) });

export const colleagueSessionsQuery = (id: string) =>
  queryOptions({
    queryKey: ["team", "sessions", id],
    queryFn: async ({ signal }) => (await api.get("/api/team/{id}/sessions", { path: { id }, signal })).items,
    staleTime: 0,
  });

/** Signs a colleague out everywhere. */
export function useEndColleagueSessions() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (id: string) => api.delete("/api/team/{id}/sessions", { path: { id } }), onSuccess: refresh });
}

/** Removes the second factors of a colleague who lost the device. */
export function useResetFactors() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (id: string) => api.delete("/api/team/{id}/factors", { path: { id } }), onSuccess: refresh });
}

export function useRemoveMember() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (id: string) => api.delete("/api/team/{id}", { path: { id } }), onSuccess: refresh });
}
