import { useRef } from "react";
import { useTranslation } from "react-i18next";
import type { FieldValues, RecordOf, Stamped } from "@/api/schema";
import { described, useFields } from "@/features/fields/data";
import { ValueInput } from "@/features/fields/value-input";
import { useBlurOnLeave } from "@/lib/use-blur-on-leave";
import { customInput, customValues } from "@/records/flat";
import type { CreatedKind } from "@/records/kinds";
import { ChangedElsewhere } from "./changed-elsewhere";
import { useFacts } from "./use-facts";

export interface RecordFieldsProps {
  kind: CreatedKind;
  record: Stamped & { fields: FieldValues };
  className?: string;
}

/** The custom fields of a record. Each value is saved when it is changed, as the facts that are edited where they stand. */
export function RecordFields({ kind, record, className }: RecordFieldsProps) {
  const { t } = useTranslation();
  const fields = useFields(kind);
  const { editing, note, failureIn, dialog } = useFacts(kind, record as RecordOf<CreatedKind>, { part: "fields" });
  /** The fields whose typed text is not a value. */
  const wrong = useRef(new Set<string>());
  const box = useRef<HTMLElement>(null);
  useBlurOnLeave(box);
  const values = editing?.values ?? customValues(record.fields);
  const shown = editing ? fields : fields.filter(({ key }) => record.fields[key] !== undefined);
  if (shown.length === 0) return null;
  return (
    <section ref={box} aria-labelledby={`fields-${record.id}`} className={className}>
      <div className="flex min-h-8.5 items-center justify-between gap-3">
        <h3 id={`fields-${record.id}`} className="text-sm font-semibold text-ink">
          {t("ui.fields.title")}
        </h3>
        {editing && note}
      </div>
      {failureIn("mt-1.5")}
      <div className="mt-1.5 grid grid-cols-1 gap-4">
        {shown.map((field) => {
          const input = customInput(field.key);
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: only tracks what is done in the input inside
            <div
              key={field.id}
              onFocus={() => editing?.edit(input)}
              onInput={({ target }) => {
                // A choice is saved when it is made.
                if (!(target instanceof HTMLInputElement && target.type === "checkbox")) editing?.noteTyped(input, true);
              }}
              onBlur={({ relatedTarget, currentTarget }) => {
                if (currentTarget.contains(relatedTarget)) return;
                editing?.close(input);
                editing?.noteTyped(input, wrong.current.has(input));
              }}
            >
              <ValueInput
                field={field}
                value={values[input]}
                error={editing?.errorOf(input)}
                disabled={!editing}
                onWrong={(isWrong) => void wrong.current[isWrong ? "add" : "delete"](input)}
                onSave={(value) => editing?.save({ [input]: value })}
              />
              <ChangedElsewhere field={described(field)} input={input} values={editing?.changedElsewhere(input)} />
            </div>
          );
        })}
      </div>
      {dialog}
    </section>
  );
}
