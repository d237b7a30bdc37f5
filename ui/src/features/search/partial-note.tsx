import { useTranslation } from "react-i18next";

/** Says below the results that some may be missing. */
export function PartialNote() {
  const { t } = useTranslation();
  return (
    <p role="status" className="shrink-0 border-t border-line px-5 py-2.5 text-sm text-muted sm:px-6.5">
      {t("ui.search.partial")}
    </p>
  );
}
