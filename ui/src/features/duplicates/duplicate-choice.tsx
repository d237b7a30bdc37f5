import { useTranslation } from "react-i18next";
import type { Duplicate } from "@/api/schema";
import { DuplicateCard } from "./duplicate-card";

/** The records that look like another one, as buttons. */
export function DuplicateChoice({ duplicates, onChoose }: { duplicates: Duplicate[]; onChoose: (id: string) => void }) {
  const { t } = useTranslation();
  return (
    <section aria-label={t("ui.duplicates.suggested")} className="mt-5">
      <h3 className="mb-1 text-sm font-medium text-gray-700">{t("ui.duplicates.suggested")}</h3>
      <ul className="-mx-2">
        {duplicates.map((duplicate) => (
          <li key={duplicate.id}>
            <button
              type="button"
              onClick={() => onChoose(duplicate.id)}
              className="flex min-h-11 w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left hover:bg-hover"
            >
              <DuplicateCard duplicate={duplicate} />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
