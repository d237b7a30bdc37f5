import { infiniteQueryOptions, keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { CalendarEvent } from "@/api/schema";
import { useMay } from "@/features/account/data";
import { newId } from "@/lib/new-id";
import { addDays, instantOf, isoDay } from "@/lib/zone";
import { listRecords } from "@/records/data";
import { formatFilter } from "@/records/list/filters";
import { readOccurrences } from "@/records/occurrences";

/** People of an organization that its own screen shows. */
const maxPeople = 10;

/** Returns the filter of customers by their organization. */
export const organizationFilter = (id: string) => formatFilter({ column: "organizationId", operator: "is", values: [id] });

/** The first people of an organization by name, and how many there are. */
export const peopleQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ["customers", "of-organization", organizationId],
    queryFn: ({ signal }) => listRecords("customer", { filter: [organizationFilter(organizationId)], sort: "name" }, maxPeople, signal),
  });

/** Deals of a person or organization that its own screen shows. */
const maxDeals = 8;

/** The first deals of a person or organization, open ones by their expected day and then the last closed ones, and how many there are. */
export const dealsQuery = (column: "organizationId" | "customerId", id: string) =>
  queryOptions({
    queryKey: ["deals", "of", column, id],
    queryFn: async ({ signal }) => {
      const own = formatFilter({ column, operator: "is", values: [id] });
      const [open, closed] = await Promise.all([
        listRecords("deal", { filter: [own, "outcome:is:open"], sort: "expectedDay" }, maxDeals, signal),
        listRecords("deal", { filter: [own, "outcome:not:open"], sort: "-closedAt" }, maxDeals, signal),
      ]);
      return { items: [...open.items, ...closed.items].slice(0, maxDeals), total: open.total + closed.total };
    },
  });

/** Open tasks of a record that its own screen shows. */
const maxTasks = 5;

/** The columns of the list of tasks that name what a task concerns. */
export type TaskColumn = "customerId" | "organizationId" | "dealId";

/** The filter of tasks by what they concern. */
export const taskFilter = (column: TaskColumn, id: string) => formatFilter({ column, operator: "is", values: [id] });

/** The open tasks of a record that are due first. */
export const openTasksQuery = (column: TaskColumn, id: string) =>
  queryOptions({
    queryKey: ["tasks", "of", column, id],
    queryFn: ({ signal }) =>
      listRecords("task", { filter: [taskFilter(column, id), "completed:is:false"], sort: "dueDate" }, maxTasks, signal),
  });

/** People of an organization whose meetings its own screen shows. */
const maxAttendees = 100;
/** Days in which the next occurrence of a repeating event is looked for. */
const meetingDays = 60;

type Times = Pick<CalendarEvent, "start" | "end" | "startDate" | "endDate">;

/** Whether an event is not over yet. */
const isAhead = ({ end, start, endDate, startDate }: Times) => {
  const last = end ?? start;
  return last ? Date.parse(last) > Date.now() : (endDate ?? startDate ?? "") >= isoDay();
};
const beginOf = ({ start, startDate }: Times) => (start ? Date.parse(start) : instantOf(startDate ?? "", "00:00").getTime());

/** An event that is next, or the occurrence `on` of a repeating one. */
export interface Meeting extends Times, Pick<CalendarEvent, "id" | "title" | "color" | "location"> {
  on?: string;
}

/** The next event that a person attends, or one of the people of an organization; null without one. */
export const nextMeetingQuery = (kind: "customer" | "organization", id: string) =>
  queryOptions({
    queryKey: ["events", "next", kind, id],
    queryFn: async ({ signal }) => {
      const people =
        kind === "customer"
          ? [id]
          : (await listRecords("customer", { filter: [organizationFilter(id)], sort: "name" }, maxAttendees, signal)).items.map(
              (one) => one.id,
            );
      if (people.length === 0) return null;
      const attended = formatFilter({ column: "customerId", operator: "is", values: people });
      const [once, series] = await Promise.all([
        // Those of several days may have started before.
        listRecords("event", { filter: [attended, "recurring:is:false", "start:gte:today-7"], sort: "start" }, 50, signal),
        listRecords("event", { filter: [attended, "recurring:is:true"], sort: "-start" }, 50, signal),
      ]);
      const ids = new Set(series.items.map((one) => one.id));
      const span = { from: isoDay(), to: addDays(isoDay(), meetingDays) };
      const repeated = ids.size > 0 ? await readOccurrences(span, signal) : [];
      const occurrences = repeated
        .filter(({ eventId }) => ids.has(eventId))
        .map((one) => ({ ...one, id: one.eventId, on: one.occurrence }));
      const ahead: Meeting[] = [...once.items, ...occurrences].filter(isAhead);
      return ahead.sort((a, b) => beginOf(a) - beginOf(b))[0] ?? null;
    },
    staleTime: 60_000,
  });

/** Companies of a page. */
const companiesPage = 100;

/** How many companies could become organizations. Not among the queries of customers: each reads all customers. */
const companyCountQuery = queryOptions({
  queryKey: ["companies", "count"],
  queryFn: ({ signal }) => api.get("/api/customers/companies", { query: { limit: 1 }, signal }),
  staleTime: 60_000,
});

/** The companies that could become organizations and have some words in their names, page by page. */
export const companiesQuery = (words: string) =>
  infiniteQueryOptions({
    queryKey: ["companies", "list", words],
    queryFn: ({ pageParam, signal }) =>
      api.get("/api/customers/companies", { query: { q: words || undefined, limit: companiesPage, cursor: pageParam }, signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });

/** Returns the companies that could become organizations, where the member may make them. */
export function useCompanies() {
  const isAllowed = [useMay("customers.read"), useMay("customers.write"), useMay("organizations.write")].every(Boolean);
  const { data } = useQuery({ ...companyCountQuery, enabled: isAllowed });
  return isAllowed ? data : undefined;
}

/** Which companies become organizations: all except some, or only some. */
export type ChosenCompanies = { except: string[] } | { only: string[] };

/** Begins a bulk change that makes organizations of companies. */
export const makeOrganizations = (chosen: ChosenCompanies) =>
  api.post("/api/customers/companies/organizations", chosen, { header: { "Idempotency-Key": newId() } });
