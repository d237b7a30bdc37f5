import { keepPreviousData, queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Member, Page, Role } from "@/api/schema";

export interface TeamFilter {
  q?: string | undefined;
  role?: string | undefined;
  state?: string | undefined;
  cursor?: string | undefined;
}
export const teamPage = 50;

export const teamQuery = (filter: TeamFilter) =>
  queryOptions({
    queryKey: ["team", "list", filter],
    queryFn: ({ signal }) => api.get<Page<Member>>("/api/team", { query: { ...filter, limit: teamPage }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** At most so many pages of 200 are read for choosing from: a longer list is no list to choose from. */
const pages = 5;

/** Everybody in the company, for choosing and naming people. */
const membersQuery = queryOptions({
  queryKey: ["team", "everybody"],
  queryFn: async ({ signal }) => {
    const found: Member[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < pages; page += 1) {
      const answer: Page<Member> = await api.get<Page<Member>>("/api/team", { query: { limit: 200, cursor }, signal });
      found.push(...answer.items);
      cursor = answer.nextCursor;
      if (!cursor) break;
    }
    return found;
  },
  staleTime: 5 * 60_000,
});

/** The company's people by id; empty until they are there. */
export function useMembers() {
  const { data } = useQuery(membersQuery);
  return { members: data ?? [], find: (id: string | undefined) => (id ? data?.find((member) => member.id === id) : undefined) };
}

export interface NewMember {
  name: string;
  email: string;
  role: Role;
  password: string;
  title?: string;
  phone?: string;
}
export interface MemberPatch {
  name?: string;
  role?: Role;
  state?: "active" | "suspended";
  title?: string | null;
  phone?: string | null;
  about?: string | null;
}

function useRefresh() {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["team"] });
}

export function useAddMember() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (member: NewMember) => api.post<Member>("/api/team", member),
    meta: { handled: true },
    onSuccess: refresh,
  });
}

/** Changes a member; shown in the list at once. */
export function useChangeMember() {
  const client = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, patch }: { id: string; patch: MemberPatch }) => api.patch<Member>(`/api/team/${id}`, patch),
    onMutate: ({ id, patch }) => {
      const { role, state } = patch;
      client.setQueriesData<Page<Member>>({ queryKey: ["team", "list"] }, (page) =>
        page
          ? { ...page, items: page.items.map((one) => (one.id === id ? { ...one, ...(role && { role }), ...(state && { state }) } : one)) }
          : page,
      );
    },
    onSettled: refresh,
  });
}

export function useRemoveMember() {
  const refresh = useRefresh();
  return useMutation({ mutationFn: (id: string) => api.delete<void>(`/api/team/${id}`), onSuccess: refresh });
}
