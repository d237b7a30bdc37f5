import { useTranslation } from "react-i18next";
import type { Field } from "@/records/fields";
import type { FlatValues } from "@/records/flat";
import { useFieldValue } from "./use-field-value";

export interface ChangedElsewhereProps {
  field: Field;
  input: string;
  /** The record with what someone else changed, if they changed this field. */
  values: FlatValues | undefined;
}

/** Says at a field that is being edited what someone else made of it in the meantime. */
export function ChangedElsewhere({ field, input, values }: ChangedElsewhereProps) {
  const { t } = useTranslation();
  const show = useFieldValue();
  return (
    <div role="status" className="text-sm text-soft [&:not(:empty)]:mt-1.5">
      {values && (
        <>
          {t("ui.versions.changedMeanwhile")}{" "}
          <span className="font-medium text-ink [overflow-wrap:anywhere]">
            {show(field, values[input], field.type === "company" ? values[field.link] : undefined) || t("ui.versions.empty")}
          </span>
        </>
      )}
    </div>
  );
}
