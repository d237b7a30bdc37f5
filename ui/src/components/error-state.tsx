import { CloudAlert, RotateCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { cx } from "@/lib/cx";
import { Button } from "./button";

/** What went wrong, and a way to try again. */
export function ErrorState({ error, onRetry, className }: { error: unknown; onRetry?: () => void; className?: string }) {
  const { t } = useTranslation();
  return (
    <div role="alert" className={cx("flex flex-col items-center px-6 py-10 text-center", className)}>
      <span className="grid size-14 place-items-center rounded-full bg-bad-soft text-bad">
        <CloudAlert aria-hidden size={26} />
      </span>
      <p className="mt-4 max-w-96 text-body">{errorText(error)}</p>
      {onRetry && (
        <Button className="mt-5" size="sm" icon={RotateCw} onClick={onRetry}>
          {t("ui.action.retry")}
        </Button>
      )}
    </div>
  );
}
