import {
  type InfiniteData,
  infiniteQueryOptions,
  keepPreviousData,
  notifyManager,
  type QueryClient,
  queryOptions,
  useMutation,
  useQueryClient,
} from "@tanstack/react-query";
import { api, ifMatch } from "@/api/client";
import type { Deal, List, ListRequest } from "@/api/schema";
import { recordQuery } from "@/records/data";
import { queryKeysOf } from "@/records/kinds";
import { landingPlace } from "./landing-place";

/** Cards of a column that are read first, and at its end. */
const firstCards = 30;
const moreCards = 40;

/** What the board shows of the deals: those that are open, with the list's search and filters. */
export type BoardRequest = Pick<ListRequest, "q" | "filter" | "sort">;

const ofBoard = ["deals", "board"] as const;
const openDeals = ({ filter = [] }: BoardRequest) => [...filter, "outcome:is:open"];

/** The open deals of a stage. */
export const columnQuery = (stageId: string, request: BoardRequest) =>
  infiniteQueryOptions({
    queryKey: [...ofBoard, stageId, request],
    queryFn: ({ pageParam, signal }): Promise<List<Deal>> => {
      const filter = [...openDeals(request), `stageId:is:${stageId}`];
      const limit = pageParam ? moreCards : firstCards;
      return api.get("/api/deals", { query: { ...request, filter, limit, cursor: pageParam }, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.nextCursor,
    placeholderData: keepPreviousData,
  });

/** The numbers of open deals of all stages, and what they are worth in each currency. */
export const boardSumsQuery = (request: BoardRequest) =>
  queryOptions({
    queryKey: ["deals", "board-sums", request],
    queryFn: ({ signal }) =>
      api.get("/api/sums", {
        query: { kind: "deals", column: ["value"], by: "stageId", q: request.q, filter: openDeals(request) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });

type Column = InfiniteData<List<Deal>>;

/** Returns the deals of a column that were read. */
export function cardsOf(column: Column | undefined): Deal[] {
  const cards = column?.pages.flatMap(({ items }) => items) ?? [];
  // One that moved between two pages may be on both.
  return [...new Map(cards.map((deal) => [deal.id, deal])).values()];
}

/** Returns a column without a deal. */
function without(column: Column, id: string): Column {
  const pages = column.pages.map((page) => ({ ...page, total: page.total - 1, items: page.items.filter((deal) => deal.id !== id) }));
  return { ...column, pages };
}

/** Returns a column with a deal at its place, at the end if that is among the cards that were not read. */
function including(column: Column, deal: Deal, sort: string | undefined): Column {
  const at = landingPlace(deal, cardsOf(column), sort);
  let before = 0;
  let isPlaced = false;
  const pages = column.pages.map((page, number) => {
    const inPage = at - before;
    before += page.items.length;
    const total = page.total + 1;
    if (isPlaced || (inPage >= page.items.length && number < column.pages.length - 1)) return { ...page, total };
    isPlaced = true;
    return { ...page, total, items: page.items.toSpliced(inPage, 0, deal) };
  });
  return { ...column, pages };
}

/** Moves a deal on the board from a stage to another one, or off or onto the board; undefined is off the board. */
function showMove(client: QueryClient, request: BoardRequest, deal: Deal, from: string | undefined, to: string | undefined) {
  const worth = deal.value;
  const shift = (stage: string, by: 1 | -1) => {
    client.setQueryData(boardSumsQuery(request).queryKey, (sums) => {
      if (!sums) return sums;
      const isSum = ({ group, currency }: { group?: string; currency?: string }) => group === stage && currency === worth?.currency;
      const groups = sums.groups ?? [];
      const items =
        worth && !sums.items.some(isSum)
          ? [...sums.items, { column: "value", group: stage, currency: worth.currency, sum: 0, count: 0 }]
          : sums.items;
      return {
        ...sums,
        groups: (groups.some(({ value }) => value === stage) ? groups : [...groups, { value: stage, count: 0 }]).map((group) =>
          group.value === stage ? { ...group, count: group.count + by } : group,
        ),
        items: items.map((one) => (worth && isSum(one) ? { ...one, sum: one.sum + by * worth.amount, count: one.count + by } : one)),
      };
    });
  };
  // In one render, so that the focus follows the card.
  notifyManager.batch(() => {
    if (from) {
      client.setQueryData(columnQuery(from, request).queryKey, (column) => column && without(column, deal.id));
      shift(from, -1);
    }
    if (to) {
      client.setQueryData(columnQuery(to, request).queryKey, (column) => column && including(column, deal, request.sort));
      shift(to, 1);
    }
  });
}

/** Returns a deal as it is on the board, or as it was read by itself. */
export function dealOnBoard(client: QueryClient, id: string): Deal | undefined {
  const columns = client.getQueriesData<Column>({ queryKey: ofBoard });
  const shown = columns.flatMap(([, column]) => cardsOf(column)).find((deal) => deal.id === id);
  return shown ?? client.getQueryData(recordQuery("deal", id).queryKey);
}

/** Returns the cards of a column with the deal that was moved last, whose place is among those that were not read. */
export function withMoved(cards: Deal[], moved: Deal | undefined, stageId: string): Deal[] {
  return moved?.outcome === "open" && moved.stageId === stageId ? [...cards, moved] : cards;
}

/** The stage or outcome that a deal gets; a reason belongs to an outcome. */
export type DealMove =
  | { stageId: string; outcome?: never }
  | { outcome: Deal["outcome"]; reasonId?: string | null; reason?: string | null; stageId?: never };

/** Returns a deal in its new place. */
const afterMove = (deal: Deal, { stageId = deal.stageId, outcome = deal.outcome }: DealMove): Deal => ({ ...deal, stageId, outcome });

/** Returns the column of a deal; undefined if it is not on the board. */
const columnOf = ({ outcome, stageId }: Pick<Deal, "outcome" | "stageId">) => (outcome === "open" ? stageId : undefined);

const moveKey = ["deals", "move"];

/**
 * Moves a deal to a stage, or wins or loses it: shown at once, and back when the server refuses. Moves are sent one after
 * the other, so that each is based on the version before.
 */
export function useMoveDeal(request: BoardRequest) {
  const client = useQueryClient();
  return useMutation({
    mutationKey: moveKey,
    scope: { id: "deals-move" },
    mutationFn: ({ deal, move }: { deal: Deal; move: DealMove }) => {
      const known = [deal, client.getQueryData(recordQuery("deal", deal.id).queryKey), dealOnBoard(client, deal.id)];
      const version = Math.max(...known.map((one) => one?.version ?? 0));
      return api.patch("/api/deals/{id}", move, { path: { id: deal.id }, header: ifMatch(version), keepalive: true });
    },
    onMutate: ({ deal, move }) => {
      const moved = afterMove(deal, move);
      const [from, to] = [columnOf(deal), columnOf(moved)];
      // A response under way would show the deal where it was.
      for (const stage of [from, to]) if (stage) void client.cancelQueries({ queryKey: columnQuery(stage, request).queryKey });
      void client.cancelQueries({ queryKey: boardSumsQuery(request).queryKey });
      showMove(client, request, moved, from, to);
    },
    onSuccess: (deal) => {
      client.setQueryData(recordQuery("deal", deal.id).queryKey, deal);
      client.setQueriesData<Column>({ queryKey: ofBoard }, (column) => {
        if (!cardsOf(column).some(({ id }) => id === deal.id)) return column;
        const updated = (one: Deal) => (one.id === deal.id ? deal : one);
        return column && { ...column, pages: column.pages.map((page) => ({ ...page, items: page.items.map(updated) })) };
      });
    },
    onError: (_error, { deal, move }) => showMove(client, request, deal, columnOf(afterMove(deal, move)), columnOf(deal)),
    onSettled: () => {
      // Another move under way would be undone on the screen.
      if (client.isMutating({ mutationKey: moveKey }) > 1) return;
      for (const queryKey of queryKeysOf("deal")) void client.invalidateQueries({ queryKey });
    },
  });
}
