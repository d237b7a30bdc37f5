import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { MoneyCell } from "@/features/fields/money-cell";
import { formatNumber } from "@/lib/format";
import { sumsQuery } from "@/records/data";
import type { AnyList } from "./use-list";

/** Returns the sums below the columns with numbers or money that a list shows, of the records on all its pages. */
export function useSums(list: Pick<AnyList, "kind" | "isKnown" | "request"> & { shown: { id: string; type: string }[] }) {
  const columns = list.shown.filter(({ type }) => type === "number" || type === "money").map(({ id }) => id);
  const hasSums = columns.length > 0;
  const { data } = useQuery({ ...sumsQuery(list.kind, columns, list.request), enabled: hasSums && list.isKnown });
  const sumOf = (id: string): ReactNode =>
    data?.items
      .filter(({ column }) => column === id)
      .map(({ currency, sum }) => (
        <span key={currency} className="block">
          {/* The sum of decimal numbers is not exact. */}
          {currency ? <MoneyCell money={{ amount: sum, currency }} column={id} /> : formatNumber(sum, { maximumFractionDigits: 6 })}
        </span>
      ));
  return hasSums ? new Map(columns.map((id) => [id, sumOf(id)])) : undefined;
}
