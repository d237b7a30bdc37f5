import { queryOptions, useQuery } from "@tanstack/react-query";
import { createContext } from "react";
import { api } from "@/api/client";
import type { Tag } from "@/api/schema";
import type { ColourName } from "@/lib/colours";
import type { ColumnChoice } from "./list/columns";

/** The tags of the records that the member sees, and those with a color: the most used first. */
export const tagsQuery = queryOptions({
  queryKey: ["tags"],
  queryFn: async ({ signal }) => (await api.get("/api/tags", { signal })).items,
  staleTime: 60_000,
});

const none: Tag[] = [];
const colours = new WeakMap<Tag[], Map<string, ColourName>>();

/** Returns the colors of tags, which are made once of each answer of the server. */
function coloursOf(tags: Tag[]): Map<string, ColourName> {
  const known = colours.get(tags);
  if (known) return known;
  const made = new Map(tags.flatMap(({ tag, color }) => (color ? [[tag, color] as const] : [])));
  colours.set(tags, made);
  return made;
}

/** Returns the company's tags; none until they have been read. */
export function useTags() {
  const { data: tags = none } = useQuery(tagsQuery);
  const known = coloursOf(tags);
  return { tags, colourOf: (tag: string) => known.get(tag.toLocaleLowerCase()) };
}

/** Returns the tags as the choices of a column: first those that records of the kind have. */
export function useTagChoices(kind: Tag["kinds"][number]["kind"]): ColumnChoice[] {
  const { tags } = useTags();
  const isUsed = ({ kinds }: Tag) => kinds.some((one) => one.kind === kind);
  return [...tags.filter(isUsed), ...tags.filter((tag) => !isUsed(tag))].map(({ tag, color }) => ({ key: tag, name: tag, color }));
}

/** Filters the list around it by a tag; undefined where there is no list. */
export const TagFilterContext = createContext<((tag: string) => void) | undefined>(undefined);
