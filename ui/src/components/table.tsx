import { ArrowDown, ArrowUp } from "lucide-react";
import type { ReactNode } from "react";
import {
  type CellProps,
  Collection,
  type ColumnProps,
  Cell as RootCell,
  Column as RootColumn,
  TableHeader as RootHeader,
  Row as RootRow,
  Table as RootTable,
  type TableProps as RootTableProps,
  type RowProps,
  type TableHeaderProps,
  useTableOptions,
} from "react-aria-components/Table";
import { cx } from "@/lib/cx";
import { SlotCheckbox } from "./slot-checkbox";

export interface TableProps extends Omit<RootTableProps, "className"> {
  "aria-label": string;
  className?: string;
}

/** Records in rows: arrow keys move, Space selects, Enter opens; the head stays in sight. */
export function Table({ className, ...rest }: TableProps) {
  return (
    <div className="overflow-x-auto">
      <RootTable className={cx("w-full border-collapse text-left tabular-nums outline-none", className)} {...rest} />
    </div>
  );
}

export function TableHeader<T extends object>({ columns, children, ...rest }: TableHeaderProps<T>) {
  const { selectionBehavior, selectionMode } = useTableOptions();
  return (
    <RootHeader className="sticky top-0 z-1 bg-sunken" {...rest}>
      {selectionBehavior === "toggle" && (
        <RootColumn className="w-11 border-b border-line py-2.5 pl-4">{selectionMode === "multiple" && <SlotCheckbox />}</RootColumn>
      )}
      {columns ? <Collection items={columns}>{children}</Collection> : (children as ReactNode)}
    </RootHeader>
  );
}

export function Column({
  children,
  className,
  ...rest
}: Omit<ColumnProps, "children" | "className"> & { children?: ReactNode; className?: string }) {
  return (
    <RootColumn
      className={cx(
        "border-b border-line px-3.5 py-2.5 text-xs font-medium whitespace-nowrap text-muted outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary",
        rest.allowsSorting && "cursor-pointer hover:text-ink",
        className,
      )}
      {...rest}
    >
      {({ sortDirection }) => (
        <span className="inline-flex items-center gap-1">
          {children}
          {sortDirection === "ascending" && <ArrowUp aria-hidden size={14} />}
          {sortDirection === "descending" && <ArrowDown aria-hidden size={14} />}
        </span>
      )}
    </RootColumn>
  );
}

export function Row<T extends object>({ columns, children, className, ...rest }: Omit<RowProps<T>, "className"> & { className?: string }) {
  const { selectionBehavior } = useTableOptions();
  return (
    <RootRow
      className={cx(
        "group/row border-b border-hover outline-none last:border-0 hover:bg-sunken selected:bg-tint-soft focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary",
        (rest.href || rest.onAction) && "cursor-pointer",
        className,
      )}
      {...rest}
    >
      {selectionBehavior === "toggle" && (
        <RootCell className="w-11 py-2.5 pl-4">
          <SlotCheckbox />
        </RootCell>
      )}
      {columns ? <Collection items={columns}>{children}</Collection> : (children as ReactNode)}
    </RootRow>
  );
}

export function Cell({ className, ...rest }: Omit<CellProps, "className"> & { className?: string }) {
  return (
    <RootCell
      className={cx(
        "px-3.5 py-2.5 outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-primary",
        className,
      )}
      {...rest}
    />
  );
}
