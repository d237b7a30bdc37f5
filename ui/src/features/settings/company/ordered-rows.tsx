import { Plus, X } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { draggedClass, OrderHandle, OrderMenu, useOrder } from "@/components/order-handle";
import { cx } from "@/lib/cx";

interface OrderedRow {
  key: string;
  name: string;
  /** Its fields. */
  fields: ReactNode;
  /** Removes it, where that is possible. */
  remove: (() => void) | undefined;
}

interface OrderedRowsProps {
  rows: OrderedRow[];
  /** Moves a row to another place. */
  onMove: (from: number, to: number) => void;
  className?: string;
}

/** Rows of fields that are ordered by their handles and removed. */
export function OrderedRows({ rows, onMove, className }: OrderedRowsProps) {
  const { t } = useTranslation();
  const ids = rows.map(({ key }) => key);
  const ordering = useOrder({
    ids,
    nameOf: (id) => rows.find(({ key }) => key === id)?.name ?? "",
    onOrder: (next, id) => onMove(ids.indexOf(id), next.indexOf(id)),
  });
  return (
    <>
      <ol className={cx("grid grid-cols-1 gap-2", className)}>
        {rows.map(({ key, name, fields, remove }) => (
          <li
            key={key}
            {...ordering.item(key)}
            className={cx("flex items-start gap-1 rounded-lg", ordering.dragged === key && cx("relative", draggedClass))}
          >
            <OrderHandle ordering={ordering} id={key} className="touchable -ml-1.5 mt-1.25 pointer-coarse:mt-0" />
            <div className="flex min-w-0 flex-1 flex-wrap items-start gap-x-2 gap-y-1.5">{fields}</div>
            <IconButton
              label={t("ui.action.removeNamed", { name })}
              icon={X}
              tone="danger"
              size="sm"
              // Not disabled, so that the focus stays.
              aria-disabled={!remove}
              className="mt-1.25 aria-disabled:opacity-40 pointer-coarse:mt-0"
              onClick={remove}
            />
          </li>
        ))}
      </ol>
      <OrderMenu ordering={ordering} />
    </>
  );
}

/** Adds a row, unless there are as many as there can be. */
export function AddButton({ label, full, isFull, onAdd }: { label: string; full: string; isFull: boolean; onAdd: () => void }) {
  return isFull ? (
    <p className="mt-2 text-sm text-muted">{full}</p>
  ) : (
    <Button size="sm" variant="ghost" icon={Plus} className="mt-2 -ml-2.75" onClick={onAdd}>
      {label}
    </Button>
  );
}
