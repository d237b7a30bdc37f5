import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { FieldValues } from "@/api/schema";
import { Alert } from "@/components/alert";
import { useMay } from "@/features/account/data";
import { useBlurOnLeave } from "@/lib/use-blur-on-leave";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { useFields, useSaveValues } from "./data";
import { ValueInput } from "./value-input";

export interface RecordFieldsProps {
  kind: CreatedKind;
  id: string;
  values: FieldValues;
  className?: string;
}

/** The custom fields of a record. Each value is saved when it is changed. */
export function RecordFields({ kind, id, values, className }: RecordFieldsProps) {
  const { t } = useTranslation();
  const fields = useFields(kind);
  const save = useSaveValues(kind, id);
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  /** What was just entered, until the record comes back with it. */
  const [entered, setEntered] = useState<FieldValues>({});
  const box = useRef<HTMLElement>(null);
  useBlurOnLeave(box);
  const shown = mayWrite ? fields : fields.filter(({ key }) => values[key] !== undefined);
  if (shown.length === 0) return null;
  const named = shown.some(({ key }) => fieldError(save.error, `fields.${key}`));
  return (
    <section ref={box} aria-labelledby={`fields-${id}`} className={className}>
      <h3 id={`fields-${id}`} className="flex min-h-8.5 items-center text-sm font-semibold text-ink">
        {t("ui.fields.title")}
      </h3>
      {save.error && !named && <Alert kind="error">{errorText(save.error)}</Alert>}
      <div className="mt-1.5 grid grid-cols-1 gap-4">
        {shown.map((field) => (
          <ValueInput
            key={field.id}
            field={field}
            value={field.key in entered ? entered[field.key] : values[field.key]}
            error={fieldError(save.error, `fields.${field.key}`)}
            disabled={!mayWrite}
            onSave={(value) => {
              setEntered({ ...entered, [field.key]: value });
              const forget = () => setEntered(({ [field.key]: _done, ...others }) => others);
              save.mutate({ [field.key]: value }, { onSuccess: forget });
            }}
          />
        ))}
      </div>
    </section>
  );
}
