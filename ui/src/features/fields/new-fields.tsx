import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { FieldValues } from "@/api/schema";
import type { CreatedKind } from "@/records/kinds";
import { useFields } from "./data";
import { ValueInput } from "./value-input";

export interface NewFieldsProps {
  kind: CreatedKind;
  value: FieldValues;
  onChange: (value: FieldValues) => void;
  /** Receives whether a typed text is not a value, so that the record must not be created without it. */
  onWrong: (isWrong: boolean) => void;
  /** Returns the error of a field. */
  error: (key: string) => string | undefined;
  className?: string;
}

/** The custom fields of a new record, as part of its form. */
export function NewFields({ kind, value, onChange, onWrong, error, className }: NewFieldsProps) {
  const { t } = useTranslation();
  const fields = useFields(kind);
  const latest = useRef(value);
  latest.current = value;
  const [wrong] = useState(() => new Set<string>());
  const start = useEffectEvent(() => onWrong(false));
  useEffect(() => start(), []);
  if (fields.length === 0) return null;
  return (
    <section aria-labelledby="new-fields" className={className}>
      <h3 id="new-fields" className="mb-3 text-sm font-semibold text-ink">
        {t("ui.fields.title")}
      </h3>
      <div className="grid grid-cols-1 gap-4">
        {fields.map((field) => (
          <ValueInput
            key={field.id}
            field={field}
            value={value[field.key]}
            error={error(field.key)}
            disabled={false}
            onWrong={(isWrong) => {
              wrong[isWrong ? "add" : "delete"](field.key);
              onWrong(wrong.size > 0);
            }}
            onSave={(entered) => {
              const { [field.key]: _before, ...others } = latest.current;
              latest.current = entered === null ? others : { ...others, [field.key]: entered };
              onChange(latest.current);
            }}
          />
        ))}
      </div>
    </section>
  );
}

/** Returns the values of custom fields as the call that creates a record takes them. */
export const filledFields = (fields: FieldValues): { fields?: FieldValues } => (Object.keys(fields).length > 0 ? { fields } : {});
