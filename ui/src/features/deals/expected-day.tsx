import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatDate, longDate, mediumDate } from "@/lib/format";
import { isoDay } from "@/lib/zone";

export interface ExpectedDayProps {
  day: string;
  isOpen: boolean;
  /** Whether it has its year, and the size of the text around it. */
  isLong?: boolean;
  className?: string;
}

/** The day on which a sale is expected: red when the deal is still open after it. */
export function ExpectedDay({ day, isOpen, isLong, className }: ExpectedDayProps) {
  const { t } = useTranslation();
  const today = isoDay();
  const isLate = isOpen && day < today;
  const short = () =>
    formatDate(day, { day: "numeric", month: "short", ...(day.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }) });
  return (
    <time
      dateTime={day}
      title={longDate(day)}
      className={cx(
        "whitespace-nowrap tabular-nums",
        isLate ? "font-medium text-bad" : !isLong && "text-muted",
        !isLong && "text-sm",
        className,
      )}
    >
      {day === today ? t("ui.days.today") : isLong ? mediumDate(day) : short()}
      {isLate && <span className={isLong ? undefined : "sr-only"}>{isLong ? ` · ${t("ui.deals.late")}` : ` (${t("ui.deals.late")})`}</span>}
    </time>
  );
}
