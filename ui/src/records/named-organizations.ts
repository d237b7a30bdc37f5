import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { fold } from "@/lib/fold";
import { listRecords } from "./data";
import { formatFilter } from "./list/filters";
import { titleQuery } from "./record-titles";

/** The company of a person: an organization with its name, or a text alone. */
export interface Company {
  /** The id of the organization. */
  id: string | null;
  name: string;
  /** Whether an organization of this name is created when the person is saved. */
  isNew?: boolean;
}

const lineOf = (name: string) => name.trim().replace(/\s+/g, " ");

/** Whether two names are the same whatever their case, accents and spaces. */
export const isSameName = (one: string, other: string) => fold(lineOf(one)) === fold(lineOf(other));

/** The organizations with exactly this name: two are enough to know that it is not clear which one is meant. */
export const namedOrganizationsQuery = (name: string) =>
  queryOptions({
    queryKey: ["organizations", "named", fold(lineOf(name))],
    queryFn: async ({ signal }) => {
      const filter = [formatFilter({ column: "name", operator: "is", values: [lineOf(name)] })];
      const { items } = await listRecords("organization", { filter }, 2, signal);
      return items.filter((one) => isSameName(one.name, name)).map(({ id, name }) => ({ id, name }));
    },
    staleTime: 10_000,
  });

export interface NamedCompany {
  company: Company;
  /** Whether several organizations have the name, so that none was taken. */
  isAmbiguous: boolean;
}

/** Returns a company with the only organization of its name, if it is a text; as it is if that cannot be found out. */
export async function linkByName(client: QueryClient, company: Company): Promise<NamedCompany> {
  const { id, name, isNew } = company;
  if (id || isNew || !lineOf(name)) return { company, isAmbiguous: false };
  const named = await client.fetchQuery(namedOrganizationsQuery(name)).catch(() => []);
  const [only] = named;
  if (!only || named.length > 1) return { company, isAmbiguous: named.length > 1 };
  // Cached at once, so that the name is shown without waiting.
  client.setQueryData(titleQuery("organization", only.id).queryKey, only.name);
  return { company: only, isAmbiguous: false };
}
