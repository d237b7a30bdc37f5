import { CircleAlert, CircleCheck, LoaderCircle, RotateCw } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import type { SaveState } from "@/records/use-autosave";

/** The picture of a state stays beside its text. */
const stateClass = "inline-flex min-w-0 items-center gap-x-1.5 whitespace-nowrap";
/** In a container without room for the text, there is only the picture. */
const textClass = "truncate @max-[6rem]:sr-only";

export interface SaveNoteProps {
  state: SaveState;
  /** Whether something is typed that is not saved, or not accepted: then nothing is said to be saved. */
  isUnsaved: boolean;
  onRetry: () => void;
}

/** The state of automatic saving: saving, saved or failed. */
export function SaveNote({ state, isUnsaved, onRetry }: SaveNoteProps) {
  const { t } = useTranslation();
  return (
    <span role="status" className="inline-flex min-w-0 flex-wrap items-center justify-end gap-x-1.5 text-sm text-muted">
      {(state === "waiting" || state === "saving") && (
        <span className={stateClass}>
          <LoaderCircle aria-hidden size={16} className="animate-spin" />
          <span className={textClass}>{t("ui.form.saving")}</span>
        </span>
      )}
      {state === "saved" && !isUnsaved && (
        <span className={stateClass}>
          <CircleCheck aria-hidden size={16} className="text-ok" />
          <span className={textClass}>{t("ui.form.saved")}</span>
        </span>
      )}
      {state === "failed" && (
        <>
          <span className={cx(stateClass, "text-bad")}>
            <CircleAlert aria-hidden size={16} className="@max-[6rem]:hidden" />
            <span className={textClass}>{t("ui.form.notSaved")}</span>
          </span>
          <button type="button" onClick={onRetry} className="fingertip relative font-medium text-accent hover:underline">
            <RotateCw aria-hidden size={18} className="hidden text-bad @max-[6rem]:block" />
            <span className="@max-[6rem]:sr-only">{t("ui.action.retry")}</span>
          </button>
        </>
      )}
    </span>
  );
}
