import { useTranslation } from "react-i18next";
import { DayTitle } from "@/components/day-title";

/** The day of the messages below. */
export function Day({ day }: { day: string }) {
  return (
    <li className="my-2.5 self-center text-xs text-muted">
      <DayTitle day={day} />
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
