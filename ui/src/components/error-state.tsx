import { CloudAlert, RotateCw, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { cx } from "@/lib/cx";
import { Button } from "./button";

/** Whether the record does not exist, so that a retry cannot help; also for an address with an invalid id. */
const isMissing = (error: unknown) => error instanceof ApiError && (error.status === 404 || error.code === "bad_request");

/** Shows an error, and a retry button if a retry may help. */
export function ErrorState({ error, onRetry, className }: { error: unknown; onRetry?: () => void; className?: string }) {
  const { t } = useTranslation();
  const missing = isMissing(error);
  const Icon = missing ? SearchX : CloudAlert;
  // The server's own message, if it says more than the status.
  const plain = error instanceof ApiError && ["not_found", "bad_request"].includes(error.code);
  return (
    <div role="alert" className={cx("flex flex-col items-center px-6 py-10 text-center", className)}>
      <span className={cx("grid size-14 place-items-center rounded-full", missing ? "bg-hover text-muted" : "bg-bad-soft text-bad")}>
        <Icon aria-hidden size={26} />
      </span>
      <p className="mt-4 max-w-96 text-body">{missing && plain ? t("ui.error.missing") : errorText(error)}</p>
      {onRetry && !missing && (
        <Button className="mt-5" size="sm" icon={RotateCw} onClick={onRetry}>
          {t("ui.action.retry")}
        </Button>
      )}
    </div>
  );
}
