import { useTranslation } from "react-i18next";
import { Alert } from "./alert";
import { Button } from "./button";

/** Says that a save came too late, and offers to look at both versions. */
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
