import { Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";

export interface RecordFormProps {
  onSubmit: () => void;
  /** What was typed before and is offered again. */
  draft: { restored: boolean; discard: () => void; drop: () => void };
  /** What asks before one leaves; cancelling is meant. */
  guard: { allow: () => void };
  /** The call that saves. */
  save: { isPending: boolean; reset: () => void };
  /** Why it was not saved, when no field shows it. */
  error: Error | undefined;
  /** Reads the record again after somebody else changed it. */
  onReload?: (() => void) | undefined;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
  /** What the button that saves says. */
  submit: string;
  children: ReactNode;
}

/** What the forms of all records are: notes above, fields that scroll, and the buttons always in sight. */
export function RecordForm({ onSubmit, draft, guard, save, error, onReload, onCancel, onDelete, submit, children }: RecordFormProps) {
  const { t } = useTranslation();
  const stale = error instanceof ApiError && error.code === "stale_version";
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-5 overflow-y-auto px-5 py-5 sm:px-6">
        {draft.restored && <Note kind="info" text={t("ui.form.restored")} action={t("ui.form.discard")} onAction={draft.discard} />}
        {error && (
          <Note
            kind="error"
            text={stale ? t("ui.form.stale") : errorText(error)}
            action={t("ui.form.reload")}
            onAction={
              stale && onReload
                ? () => {
                    save.reset();
                    onReload();
                  }
                : undefined
            }
          />
        )}
        {children}
      </div>
      <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sunken px-5 py-3.5 sm:px-6">
        {onDelete && (
          <Button variant="danger-ghost" icon={Trash2} className="mr-auto" onClick={onDelete}>
            {t("ui.action.delete")}
          </Button>
        )}
        <Button
          onClick={() => {
            guard.allow();
            draft.drop();
            onCancel();
          }}
        >
          {t("ui.action.cancel")}
        </Button>
        <Button type="submit" variant="primary" busy={save.isPending}>
          {submit}
        </Button>
      </footer>
    </form>
  );
}

interface NoteProps {
  kind: "info" | "error";
  text: string;
  action: string;
  onAction: (() => void) | undefined;
}

function Note({ kind, text, action, onAction }: NoteProps) {
  return (
    <Alert kind={kind}>
      <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        {text}
        {onAction && (
          <Button size="sm" onClick={onAction}>
            {action}
          </Button>
        )}
      </span>
    </Alert>
  );
}
