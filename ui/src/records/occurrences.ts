import { api } from "@/api/client";
import type { Occurrence, OccurrencePage } from "@/api/schema";

/** Maximum requests for the occurrences of a span. */
const maxRequests = 10;

/** The occurrences of events in a span of the calendar, which large events divide into several pages. */
export async function readOccurrences(span: { from: string; to: string }, signal: AbortSignal): Promise<Occurrence[]> {
  const found: Occurrence[] = [];
  let cursor: string | undefined;
  for (let request = 0; request < maxRequests; request += 1) {
    const answer: OccurrencePage = await api.get("/api/events", { query: { ...span, cursor }, signal });
    found.push(...answer.items);
    cursor = answer.nextCursor;
    if (!cursor) break;
  }
  return found;
}
