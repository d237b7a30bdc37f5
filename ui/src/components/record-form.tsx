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
  /** A restored draft, which the form offers to discard. */
  draft: { restored: boolean; revert: () => void; finish: () => void };
  /** The leave guard, which allows cancelling. */
  guard: { allow: () => void };
  /** The mutation that saves. */
  save: { isPending: boolean };
  /** The error of the save, if no field shows it. */
  error: Error | undefined;
  /** Shows both versions after another member changed the record. */
  onCompare?: (() => void) | undefined;
  /** The other members who edit the record. */
  editors?: ReactNode;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
  /** The label of the save button. */
  submit: string;
  children: ReactNode;
}

/** The form of a record: notes above, fields that scroll, and buttons that stay visible. */
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
  // The error is above the fields, and the save button below them, so scroll up to it.
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
              <Button size="sm" onClick={draft.revert}>
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
            draft.finish();
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
