import i18n from "i18next";
import type { RecordOf } from "@/api/schema";
import { formatDate, mediumDate } from "@/lib/format";
import type { MergedKind } from "@/records/kinds";
import { cardOf } from "@/records/record-titles";

/** What tells a record from another one with the same name, the best first. */
export interface Distinguished {
  title: string;
  company?: string | undefined;
  emails?: string[];
  createdAt?: string;
}

/** Returns what is known of a record. */
export function distinguish(record: RecordOf<MergedKind>): Distinguished {
  const { details } = record as Partial<RecordOf<"customer">>;
  const { emails } = record as Partial<RecordOf<"organization">>;
  return {
    title: cardOf(record).title,
    company: details?.company,
    emails: (details?.emails ?? emails ?? []).map(({ email }) => email),
    createdAt: record.createdAt,
  };
}

const addedOn = (day: string) => i18n.t("ui.duplicates.addedOnShort", { day });

/** Returns the titles of two records; those of the same name with the company, an email address or the day of creation. */
export function distinctTitles(one: Distinguished, other: Distinguished): [string, string] {
  if (one.title !== other.title) return [one.title, other.title];
  const ways: ((record: Distinguished, than: Distinguished) => string | undefined)[] = [
    ({ company }) => company,
    ({ emails }, than) => emails?.find((email) => !than.emails?.includes(email)),
    ({ createdAt }) => createdAt && addedOn(mediumDate(createdAt)),
    ({ createdAt }) => createdAt && addedOn(formatDate(createdAt, { dateStyle: "medium", timeStyle: "short" })),
  ];
  const pairs = ways.map((way) => [way(one, other), way(other, one)] as const);
  // Two values tell more than one and a gap.
  const differ = pairs.filter(([a, b]) => a !== b);
  const [a, b] = differ.find((pair) => pair.every(Boolean)) ?? differ[0] ?? [];
  const named = (title: string, detail: string | undefined) => (detail ? i18n.t("ui.duplicates.titleWith", { title, detail }) : title);
  return [named(one.title, a), named(other.title, b)];
}
