import { Trash2 } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { type Control, Controller, type FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { FieldValues as CustomValues } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { SaveFailure } from "@/components/save-failure";
import { NewFields } from "@/features/fields/new-fields";
import { commitTyped, isSaveKey } from "@/lib/save-key";
import type { CreatedKind } from "@/records/kinds";
import { EditorsNote } from "./editors-note";
import { RecordConflict } from "./record-conflict";
import type { RecordFormState } from "./use-record-form";

interface WithFields {
  fields: CustomValues;
}

/** The custom fields of a new record. */
function CustomFields({ kind, control }: { kind: CreatedKind; control: Control<WithFields> }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const isWrong = useRef(false);
  const focus = () => box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  return (
    <Controller
      control={control}
      name="fields"
      rules={{ validate: () => !isWrong.current || t("ui.fields.notANumber") }}
      render={({ field: { value, onChange, ref }, formState }) => {
        ref({ focus });
        return (
          <div ref={box}>
            <NewFields
              kind={kind}
              value={value}
              onChange={onChange}
              onWrong={(wrong) => {
                isWrong.current = wrong;
              }}
              error={(key) => formState.errors.fields?.[key]?.message?.toString()}
              className="border-t border-line pt-4"
            />
          </div>
        );
      }}
    />
  );
}

/** The form of a record: notes above, fields that scroll, and buttons that stay visible. Ctrl+Enter saves. */
export function RecordForm<K extends CreatedKind, V extends FieldValues>({
  form,
  aboveButtons,
  children,
}: {
  form: RecordFormState<K, V>;
  /** What stays in view below the fields. */
  aboveButtons?: ReactNode;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const { kind, record, frame } = form;
  const { draft, error, conflict } = frame;
  const { versions } = conflict;
  const box = useRef<HTMLDivElement>(null);
  // The error is above the fields, and the save button below them, so scroll up to it.
  useEffect(() => {
    if (error) box.current?.scrollTo({ top: 0 });
  }, [error]);
  return (
    <>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          frame.submit();
        }}
        // Before the parts inside: a list of choices keeps its keys to itself.
        onKeyDownCapture={(event) => {
          if (!isSaveKey(event)) return;
          event.preventDefault();
          event.stopPropagation();
          commitTyped();
          frame.submit();
        }}
        className="flex min-h-0 flex-1 flex-col"
      >
        <div ref={box} className="grid min-h-0 flex-1 grid-cols-1 content-start gap-5 overflow-y-auto scroll-pb-16 px-5 py-5 sm:px-6">
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
          <EditorsNote kind={kind} recordId={record?.id} />
          <SaveFailure error={error} onCompare={frame.compare} />
          {children}
          {!record && <CustomFields kind={kind} control={form.control as unknown as Control<WithFields>} />}
        </div>
        {aboveButtons}
        <footer className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-sunken px-5 py-3.5 sm:px-6">
          {frame.onDelete && (
            <Button variant="danger-ghost" icon={Trash2} className="mr-auto" onClick={frame.onDelete}>
              {t("ui.action.delete")}
            </Button>
          )}
          <Button onClick={frame.cancel}>{t("ui.action.cancel")}</Button>
          <Button type="submit" variant="primary" busy={frame.isPending}>
            {frame.submitText}
          </Button>
        </footer>
      </form>
      {frame.guard.dialog}
      {versions && (
        <RecordConflict
          kind={kind}
          recordId={versions.record.id}
          base={versions.base}
          mine={versions.mine}
          theirs={versions.theirs}
          {...(frame.conflictViews && { views: frame.conflictViews })}
          onChoose={(chosen, changes) => {
            const ownKept = Object.keys(changes).length > 0;
            conflict.choose(chosen, ownKept);
            if (!ownKept) frame.onTaken(versions.record);
          }}
          onClose={conflict.close}
        />
      )}
    </>
  );
}
