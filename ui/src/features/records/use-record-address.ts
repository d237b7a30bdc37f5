import { useLocation, useNavigate } from "react-router";
import { linkParameter } from "@/features/record-parts/concerned";
import { type CreatedKind, openedState, pathOfKind } from "@/records/kinds";

/**
 * Leads from a record that is open beside its list back to the list with its filters, and to other records. `own` are
 * parameters of the record alone, the first one with a value of each record.
 */
export function useRecordAddress(kind: CreatedKind, ...own: string[]) {
  const all = [...own, linkParameter];
  const navigate = useNavigate();
  const { search, state } = useLocation();
  const path = pathOfKind(kind);
  const withOwn = (value?: string) => {
    const params = new URLSearchParams(search);
    const [first] = own;
    if (!value && !all.some((name) => params.has(name))) return search;
    for (const name of all) params.delete(name);
    if (first && value) params.set(first, value);
    return params.size > 0 ? `?${params}` : "";
  };
  return {
    /** Closes the record: Back then leads to what was before the list. */
    toList: () => {
      if (state === openedState) void navigate(-1);
      else void navigate(`${path}${withOwn()}`, { preventScrollReset: true, replace: true });
    },
    toRecord: (id: string, value?: string) =>
      void navigate(`${path}/${id}${withOwn(value)}`, { preventScrollReset: true, replace: true, state }),
  };
}

export type RecordAddress = ReturnType<typeof useRecordAddress>;
