import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatDate, longDate } from "@/lib/format";
import { isoDay } from "@/lib/zone";

/** The day on which a sale is expected: red when the deal is still open after it. */
export function ExpectedDay({ day, isOpen, className }: { day: string; isOpen: boolean; className?: string }) {
  const { t } = useTranslation();
  const today = isoDay();
  const isLate = isOpen && day < today;
  return (
    <time
      dateTime={day}
      title={longDate(day)}
      className={cx("text-sm whitespace-nowrap tabular-nums", isLate ? "font-medium text-bad" : "text-muted", className)}
    >
      {day === today
        ? t("ui.days.today")
        : formatDate(day, { day: "numeric", month: "short", ...(day.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }) })}
      {isLate && <span className="sr-only">{` (${t("ui.deals.late")})`}</span>}
    </time>
  );
}
