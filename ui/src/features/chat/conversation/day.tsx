import { useTranslation } from "react-i18next";
import { formatDate } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";

/** The day of the messages below. */
export function Day({ day }: { day: string }) {
  const { t } = useTranslation();
  const text =
    day === isoDay()
      ? t("ui.chat.today")
      : day === addDays(isoDay(), -1)
        ? t("ui.chat.yesterday")
        : formatDate(day, {
            weekday: "long",
            month: "long",
            day: "numeric",
            ...(day.slice(0, 4) !== isoDay().slice(0, 4) && { year: "numeric" }),
          });
  return (
    <li className="my-2.5 self-center text-xs text-muted">
      <time dateTime={day} className="inline-block first-letter:uppercase">
        {text}
      </time>
    </li>
  );
}

/** The line above the first unread message. */
export function NewLine() {
  const { t } = useTranslation();
  return (
    <li className="my-2.5 flex items-center gap-3 self-stretch text-xs font-semibold text-accent before:h-px before:flex-1 before:bg-primary-300 after:h-px after:flex-1 after:bg-primary-300">
      {t("ui.chat.newMessages")}
    </li>
  );
}
