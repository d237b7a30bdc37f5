import { queryOptions } from "@tanstack/react-query";
import { withoutRegion } from "@/lib/locale";
import { british } from "./british";
import { guidesOf } from "./guide";

const files: Record<string, () => Promise<{ default: Record<string, string> }>> = {
  en: () => import("./guides/en"),
  es: () => import("./guides/es"),
  "en-GB": async () => ({ default: british((await import("./guides/en")).default) }),
};

/** The guides in a language, in English if there are none. They are part of the application and never change. */
export const guidesQuery = (language: string) =>
  queryOptions({
    queryKey: ["help", language],
    queryFn: async () => guidesOf((await (files[language] ?? files[withoutRegion(language)] ?? files.en)?.())?.default ?? {}),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The changelog. */
export const changelogQuery = queryOptions({
  queryKey: ["help", "changelog"],
  queryFn: async () => (await import("../../../../CHANGELOG.md?raw")).default,
  staleTime: Number.POSITIVE_INFINITY,
});
