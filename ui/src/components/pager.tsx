import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";
import { IconButton } from "./icon-button";

export interface PagerProps {
  /** The number of the first record shown, from 1. */
  from: number;
  count: number;
  total: number;
  onPrevious?: (() => void) | undefined;
  onNext?: (() => void) | undefined;
}

/** The range of records shown, and buttons for the previous and next page. */
export function Pager({ from, count, total, onPrevious, onNext }: PagerProps) {
  const { t } = useTranslation();
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
        <IconButton label={t("ui.action.previous")} icon={ChevronLeft} size="sm" disabled={!onPrevious} onClick={onPrevious} />
        <IconButton label={t("ui.action.next")} icon={ChevronRight} size="sm" disabled={!onNext} onClick={onNext} />
      </span>
    </div>
  );
}
