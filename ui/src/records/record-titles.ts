import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { listRecords, readRecord } from "./data";
import { type CreatedKind, recordKinds } from "./kinds";

/** What names a record; every kind has some of it. */
interface Named {
  name?: string;
  title?: string;
  avatar?: string;
  logo?: string;
  details?: { company?: string };
}

/** How a record is named where it is not shown itself. */
export interface RecordCard {
  title: string;
  subtitle: string | undefined;
  avatar: string | undefined;
}

/** Returns the title, the second line and the picture of a record of any kind. */
export const cardOf = ({ name, title, avatar, logo, details }: Named): RecordCard => ({
  title: name ?? title ?? "",
  subtitle: details?.company,
  avatar: avatar ?? logo,
});

/** The title of a record of any kind. */
export const titleQuery = (kind: CreatedKind, id: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "title", id],
    queryFn: async ({ signal }) => cardOf(await readRecord(kind, id, signal)).title,
    staleTime: 60_000,
  });

/** A record to choose; `detail` tells it from another one with the same title. */
export type RecordMatch = RecordCard & { id: string; detail?: string | undefined };

/** Returns what tells an organization from another one with the same name. */
const detailOf = (record: object): string | undefined => {
  const { website, emails, address } = record as { website?: string; emails?: { email: string }[]; address?: string };
  return website ?? emails?.[0]?.email ?? address;
};

/** Matches of a search for a record. */
const maxMatches = 20;

/** Records of a kind that match typed words; without words, the first ones. */
export const matchesQuery = (kind: CreatedKind, words: string) =>
  queryOptions({
    queryKey: [recordKinds[kind].name, "matches", words],
    queryFn: async ({ signal }): Promise<RecordMatch[]> => {
      const { items } = await listRecords(kind, words ? { q: words } : {}, maxMatches, signal);
      // The sections of a list are no records to choose.
      return items
        .filter((record) => !("type" in record && record.type === "section"))
        .map((record) => ({ id: record.id, ...cardOf(record), detail: kind === "organization" ? detailOf(record) : undefined }));
    },
    placeholderData: keepPreviousData,
    staleTime: 10_000,
  });
