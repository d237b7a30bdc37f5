import { CloudAlert, RotateCw, SearchX } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { cx } from "@/lib/cx";
import { Button } from "./button";

/** Whether what was asked for is not there: trying again cannot help. An address that holds no id leads nowhere, too. */
const isMissing = (error: unknown) => error instanceof ApiError && (error.status === 404 || error.code === "bad_request");

/** What went wrong, and a way to try again where that may help. */
export function ErrorState({ error, onRetry, className }: { error: unknown; onRetry?: () => void; className?: string }) {
  const { t } = useTranslation();
  const missing = isMissing(error);
  const Icon = missing ? SearchX : CloudAlert;
  // The server's own sentence where it says more than that.
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
