import { queryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { RecordReferenceInput } from "@/api/schema";
import { recordKinds } from "@/records/kinds";

/** A record that a text can refer to. */
export interface Referable {
  kind: RecordReferenceInput["kind"];
  recordId: string;
  title: string;
  subtitle?: string | undefined;
}

/** Searches the records that members create. */
export const referableQuery = (text: string) =>
  queryOptions({
    queryKey: ["referable", text],
    queryFn: async ({ signal }) => {
      const sets = await api.post("/api/common/search", { query: text }, { signal });
      return sets.flatMap(({ results }) =>
        results.flatMap(({ kind, id: recordId, value: title, subtitle }): Referable[] =>
          kind && recordId && recordKinds[kind].create ? [{ kind, recordId, title, subtitle }] : [],
        ),
      );
    },
    enabled: text.length >= 2,
    staleTime: 10_000,
    gcTime: 60_000,
  });

/** Loads a file, unless it is larger than a number of bytes. */
export async function fetchFile(path: string, limit: number, signal: AbortSignal): Promise<ArrayBuffer | "large"> {
  const response = await fetch(path, { signal });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  if (Number(response.headers.get("Content-Length")) > limit) return "large";
  const bytes = await response.arrayBuffer();
  return bytes.byteLength > limit ? "large" : bytes;
}
