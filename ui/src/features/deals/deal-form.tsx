import { useTranslation } from "react-i18next";
import type { Deal } from "@/api/schema";
import { TextField } from "@/components/text-field";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { toInput, toValues } from "./form-values";

/** The form of a deal. */
export function DealForm(place: FormPlace<Deal>) {
  const { t } = useTranslation();
  const form = useRecordForm({
    ...place,
    kind: "deal",
    // Who adds a deal is responsible for it.
    toValues: (deal, me) => ({ ...toValues(deal), ...(!deal && { ownerId: me }) }),
    toInput,
  });
  return (
    <RecordForm form={form}>
      <TextField label={t("ui.deals.titleField")} autoFocus autoComplete="off" {...form.registerText("title", { isRequired: true })} />
    </RecordForm>
  );
}
