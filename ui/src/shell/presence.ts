import { create } from "zustand";
import type { Status } from "@/api/schema";

/** Who is there, as the server tells it; unknown until it first has. */
export const usePresence = create<{ known: boolean; members: Record<string, Status> }>(() => ({ known: false, members: {} }));

/** How a colleague is seen now; until the line says it, as the call said that named them. */
export function useStatusOf(memberId: string, said: Status): Status {
  return usePresence(({ known, members }) => (known ? (members[memberId] ?? "not-visible") : said));
}
