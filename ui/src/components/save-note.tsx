import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import type { SaveState } from "@/records/use-autosave";

/** The picture of a state stays beside its text. */
const stateClass = "inline-flex items-center gap-x-1.5 whitespace-nowrap";

/** The state of automatic saving: saving, saved or failed. */
export function SaveNote({ state, onRetry }: { state: SaveState; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <span role="status" className="inline-flex min-w-0 flex-wrap items-center justify-end gap-x-1.5 text-sm text-muted">
      {(state === "waiting" || state === "saving") && (
        <span className={stateClass}>
          <LoaderCircle aria-hidden size={16} className="animate-spin" />
          {t("ui.form.saving")}
        </span>
      )}
      {state === "saved" && (
        <span className={stateClass}>
          <CircleCheck aria-hidden size={16} className="text-ok" />
          {t("ui.form.saved")}
        </span>
      )}
      {state === "failed" && (
        <>
          <span className={cx(stateClass, "text-bad")}>
            <CircleAlert aria-hidden size={16} />
            {t("ui.form.notSaved")}
          </span>
          <button type="button" onClick={onRetry} className="fingertip relative font-medium text-accent hover:underline">
            {t("ui.action.retry")}
          </button>
        </>
      )}
    </span>
  );
}
