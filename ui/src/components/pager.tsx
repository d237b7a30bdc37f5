import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";
import { IconButton } from "./icon-button";

export interface PagerProps {
  /** A page of the list, as the server returns it. */
  list: { items: unknown[]; total: number; nextCursor?: string | undefined };
  /** The place in the list, as `usePaging` returns it; `from` is the number of the first record shown, from 1. */
  paging: { from: number; previous: (() => void) | undefined; next: (cursor: string) => void };
  /** Shows nothing while there is only one page. */
  optional?: boolean;
}

/** The range of records shown, and buttons for the previous and next page. */
export function Pager({ list: { items, total, nextCursor }, paging: { from, previous, next }, optional }: PagerProps) {
  const { t } = useTranslation();
  const count = items.length;
  if (optional && !previous && !nextCursor) return null;
  return (
    <div className="flex min-h-12 items-center justify-between gap-4 border-t border-line px-5 py-2 text-sm text-muted">
      <span aria-live="polite" className="tabular-nums">
        {t("ui.list.range", {
          from: formatNumber(count === 0 ? 0 : from),
          to: formatNumber(from + count - 1),
          total: formatNumber(Math.max(total, from + count - 1)),
        })}
      </span>
      <span className="flex">
        <IconButton label={t("ui.action.previous")} icon={ChevronLeft} size="sm" disabled={!previous} onClick={previous} />
        <IconButton
          label={t("ui.action.next")}
          icon={ChevronRight}
          size="sm"
          disabled={!nextCursor}
          onClick={() => nextCursor && next(nextCursor)}
        />
      </span>
    </div>
  );
}
