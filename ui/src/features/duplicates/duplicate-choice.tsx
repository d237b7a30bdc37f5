import { useTranslation } from "react-i18next";
import type { Duplicate } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { sortedReasons, useReasonTexts } from "./reasons";

/** The records that look like another one, as buttons. */
export function DuplicateChoice({ duplicates, onChoose }: { duplicates: Duplicate[]; onChoose: (id: string) => void }) {
  const { t } = useTranslation();
  const { text } = useReasonTexts();
  return (
    <section aria-label={t("ui.duplicates.suggested")} className="mt-5">
      <h3 className="mb-1 text-sm font-medium text-gray-700">{t("ui.duplicates.suggested")}</h3>
      <ul className="-mx-2">
        {duplicates.map(({ id, card, reasons }) => (
          <li key={id}>
            <button
              type="button"
              onClick={() => onChoose(id)}
              className="flex min-h-11 w-full flex-wrap items-center gap-x-3 rounded-lg px-2 py-1.5 text-left hover:bg-hover"
            >
              <Avatar name={card.title} size={32} />
              <span className="min-w-32 flex-1">
                <span dir="auto" className="block truncate font-medium text-ink">
                  {card.title}
                </span>
                {card.subtitle && (
                  <span dir="auto" className="block truncate text-sm text-muted">
                    {card.subtitle}
                  </span>
                )}
              </span>
              <span className="text-sm text-muted">{sortedReasons(reasons).map(text).join(" · ")}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
