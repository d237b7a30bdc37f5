import { create } from "zustand";
import type { Status } from "@/api/schema";

/** The members who are present; `known` is false until the server's first report. */
export const usePresence = create<{ known: boolean; members: Record<string, Status> }>(() => ({ known: false, members: {} }));

/** Returns a colleague's current status; before the first report, the status that their record had. */
export function useStatusOf(memberId: string, initial: Status): Status {
  return usePresence(({ known, members }) => (known ? (members[memberId] ?? "not-visible") : initial));
}
