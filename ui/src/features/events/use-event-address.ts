import { useSearchParams } from "react-router";
import { useRecordAddress } from "@/features/records/use-record-address";
import { occurrenceStart, readSearchParams } from "@/lib/search-params";

/** The customer who attends a new event. */
export const attendeeParameter = "person";

/** Leads from an event to the list and to other events; `on` is the occurrence that is open. */
export const useEventAddress = () => useRecordAddress("event", "on", attendeeParameter);

/** Returns the occurrence of a repeating event that the address names. */
export function useOccurrence(): string | undefined {
  const [search] = useSearchParams();
  return readSearchParams(search, { on: occurrenceStart }).on;
}
