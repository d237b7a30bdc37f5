import { CircleAlert, CircleCheck, LoaderCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { SaveState } from "@/records/use-autosave";

/** The state of automatic saving: saving, saved or failed. */
export function SaveNote({ state, onRetry }: { state: SaveState; onRetry: () => void }) {
  const { t } = useTranslation();
  return (
    <span role="status" className="inline-flex min-w-0 flex-wrap items-center justify-end gap-x-1.5 text-sm text-muted">
      {(state === "waiting" || state === "saving") && (
        <>
          <LoaderCircle aria-hidden size={16} className="animate-spin" />
          {t("ui.form.saving")}
        </>
      )}
      {state === "saved" && (
        <>
          <CircleCheck aria-hidden size={16} className="text-ok" />
          {t("ui.form.saved")}
        </>
      )}
      {state === "failed" && (
        <>
          <CircleAlert aria-hidden size={16} className="text-bad" />
          <span className="text-bad">{t("ui.form.notSaved")}</span>
          <button type="button" onClick={onRetry} className="font-medium text-accent hover:underline">
            {t("ui.action.retry")}
          </button>
        </>
      )}
    </span>
  );
}
