import { Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { StaleNote } from "@/components/stale-note";
import { isStale } from "@/records/conflicts";

export interface RecordFormProps {
  onSubmit: () => void;
  /** What was typed before and is offered again. */
  draft: { restored: boolean; discard: () => void; drop: () => void };
  /** What asks before one leaves; cancelling is meant. */
  guard: { allow: () => void };
  /** The call that saves. */
  save: { isPending: boolean };
  /** Why it was not saved, when no field shows it. */
  error: Error | undefined;
  /** Shows both versions after somebody else changed the record. */
  onCompare?: (() => void) | undefined;
  /** Who else edits the record. */
  editors?: ReactNode;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
  /** What the button that saves says. */
  submit: string;
  children: ReactNode;
}

/** What the forms of all records are: notes above, fields that scroll, and the buttons always in sight. */
export function RecordForm({
  onSubmit,
  draft,
  guard,
  save,
  error,
  onCompare,
  editors,
  onCancel,
  onDelete,
  submit,
  children,
}: RecordFormProps) {
  const { t } = useTranslation();
  const stale = isStale(error);
  const box = useRef<HTMLDivElement>(null);
  // Why it was not saved stands above the fields, and one saves from below them.
  useEffect(() => {
    if (error) box.current?.scrollTo({ top: 0 });
  }, [error]);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="flex min-h-0 flex-1 flex-col"
    >
      <div ref={box} className="grid min-h-0 flex-1 grid-cols-1 content-start gap-5 overflow-y-auto px-5 py-5 sm:px-6">
        {draft.restored && (
          <Alert kind="info">
            <span className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              {t("ui.form.restored")}
              <Button size="sm" onClick={draft.discard}>
                {t("ui.form.discard")}
              </Button>
            </span>
          </Alert>
        )}
        {editors}
        {error && (stale && onCompare ? <StaleNote onCompare={onCompare} /> : <Alert kind="error">{errorText(error)}</Alert>)}
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
