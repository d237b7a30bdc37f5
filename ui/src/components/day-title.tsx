import { useTranslation } from "react-i18next";
import { formatDate } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";

/** The name of a day above what happened on it: today, yesterday, or its date. */
export function DayTitle({ day }: { day: string }) {
  const { t } = useTranslation();
  const today = isoDay();
  const date = () => {
    const year = day.slice(0, 4) === today.slice(0, 4) ? {} : ({ year: "numeric" } as const);
    return formatDate(day, { weekday: "long", month: "long", day: "numeric", ...year });
  };
  const text = day === today ? t("ui.days.today") : day === addDays(today, -1) ? t("ui.days.yesterday") : date();
  return (
    <time dateTime={day} className="inline-block first-letter:uppercase">
      {text}
    </time>
  );
}
