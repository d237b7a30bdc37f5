import { useTranslation } from "react-i18next";
import { Alert } from "./alert";
import { Button } from "./button";

/** Reports that the record changed before the save, and offers to compare the versions. */
export function StaleNote({ onCompare, className }: { onCompare: () => void; className?: string }) {
  const { t } = useTranslation();
  return (
    <Alert kind="error" {...(className && { className })}>
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {t("ui.versions.stale")}
        <Button size="sm" onClick={onCompare}>
          {t("ui.versions.compare")}
        </Button>
      </span>
    </Alert>
  );
}
