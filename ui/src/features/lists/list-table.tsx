import type { FieldValues, Stamped } from "@/api/schema";
import { RecordTable, type RecordTableProps } from "@/components/record-table";
import type { useList } from "./use-list";
import { useSums } from "./use-sums";

type Listed = Stamped & { fields: FieldValues };

export interface ListTableProps<T extends Listed> extends Omit<RecordTableProps<T>, "columns" | "sort" | "onSort" | "scrolls" | "sums"> {
  list: ReturnType<typeof useList<T>>;
}

/** The table of a list, with the columns and the order that the member chose, and the sums of numbers below them. */
export function ListTable<T extends Listed>({ list, card, ...rest }: ListTableProps<T>) {
  const sums = useSums(list);
  return (
    <RecordTable
      sums={sums}
      columns={list.tableColumns}
      sort={list.state.sort}
      onSort={list.setSort}
      scrolls={list.isChosen}
      card={(record) =>
        list.isChosen
          ? list.shown.map(({ id, label, cell }) => (
              <span key={id} className="flex max-w-full min-w-0 items-center gap-1.5 has-[>:last-child:empty]:hidden">
                <span className="text-muted">{label}</span>
                <span className="min-w-0">{cell?.(record)}</span>
              </span>
            ))
          : card(record)
      }
      {...rest}
    />
  );
}
