import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Deal } from "@/api/schema";
import { DateField } from "@/components/date-field";
import { RecordSelect } from "@/components/record-select";
import { Select } from "@/components/select";
import { TagsField } from "@/components/tags-field";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { MoneyField } from "@/features/fields/money-field";
import { FormInput } from "@/features/records/form-input";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { MemberSelect } from "@/features/team/member-select";
import { recordId } from "@/lib/search-params";
import { useAddressQuery } from "@/lib/use-address";
import { recordQuery } from "@/records/data";
import { usePipeline } from "@/records/pipeline";
import { DealVisibility } from "./deal-visibility";
import { toInput, toValues } from "./form-values";
import { outcomes } from "./outcome";
import { ReasonSelect } from "./reason-select";

/** What the address says of a new deal. */
const addressParsers = { person: recordId, organization: recordId, stage: recordId };
export const newDealParameters = Object.keys(addressParsers);

/** The form of a deal. */
export function DealForm(place: FormPlace<Deal>) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { stages } = usePipeline();
  const { person, organization, stage } = useAddressQuery(addressParsers).values;
  const form = useRecordForm({
    ...place,
    kind: "deal",
    toValues: (deal, me) => ({
      ...toValues(deal),
      // Who adds a deal is responsible for it.
      ...(!deal && { ownerId: me, customerId: person ?? null, organizationId: organization ?? null, stageId: stage ?? null }),
    }),
    toInput,
  });
  const { registerText, watch, getValues, setValue, base } = form;
  const [outcome, ownerId] = watch(["outcome", "ownerId"]);
  /** Takes the organization of a person, unless another one is chosen. */
  const fillOrganization = async (customerId: string) => {
    const customer = await client.fetchQuery(recordQuery("customer", customerId)).catch(() => undefined);
    if (!customer?.organizationId || getValues("customerId") !== customerId || getValues("organizationId")) return;
    setValue("organizationId", customer.organizationId, { shouldDirty: true });
  };
  return (
    <RecordForm form={form}>
      <TextField label={t("ui.deals.titleField")} autoFocus autoComplete="off" {...registerText("title", { isRequired: true })} />
      <div className="grid gap-5 sm:grid-cols-2">
        <FormInput form={form} name="customerId">
          {({ onChange, ...input }) => (
            <RecordSelect
              kind="customer"
              label={t("ui.deals.person")}
              placeholder={t("ui.deals.noPerson")}
              {...input}
              onChange={(id) => {
                onChange(id);
                if (id) void fillOrganization(id);
              }}
            />
          )}
        </FormInput>
        <FormInput form={form} name="organizationId">
          {(input) => <RecordSelect kind="organization" label={t("ui.deals.organization")} {...input} />}
        </FormInput>
        <FormInput form={form} name="value">
          {({ value, ...input }) => <MoneyField label={t("ui.deals.value")} value={value ?? null} {...input} />}
        </FormInput>
        <FormInput form={form} name="expectedDay">
          {(input) => <DateField label={t("ui.deals.expectedDay")} {...input} />}
        </FormInput>
        <FormInput form={form} name="stageId">
          {({ value, ...input }) => (
            <Select
              label={t("ui.deals.stage")}
              value={value ?? stages[0]?.id ?? null}
              {...input}
              options={stages.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </FormInput>
        <FormInput form={form} name="ownerId">
          {(input) => <MemberSelect label={t("ui.customers.owner")} {...input} />}
        </FormInput>
      </div>
      {base && base.outcome !== "open" && (
        <div className="grid gap-5 sm:grid-cols-2">
          <FormInput form={form} name="outcome">
            {({ onChange, ...input }) => (
              <Select
                label={t("ui.deals.outcome")}
                {...input}
                onChange={(next) => {
                  onChange(next);
                  // A reason belongs to the outcome that it was given for.
                  setValue("reasonId", next === base.outcome ? (base.reasonId ?? null) : null);
                }}
                options={outcomes.map((value) => ({ value, label: t(`ui.deals.outcomes.${value}`) }))}
              />
            )}
          </FormInput>
          {outcome !== "open" && (
            <>
              <FormInput form={form} name="reasonId">
                {(input) => <ReasonSelect outcome={outcome} {...input} />}
              </FormInput>
              <TextArea label={t("ui.deals.reasonText")} rows={2} className="sm:col-span-2" {...registerText("reason")} />
            </>
          )}
        </div>
      )}
      <FormInput form={form} name="tags">
        {(input) => <TagsField label={t("ui.customers.tags")} hint={t("ui.customers.tagsHint")} {...input} />}
      </FormInput>
      <TextArea label={t("ui.customers.about")} rows={3} {...registerText("about")} />
      <FormInput form={form} name="visibility">
        {({ value, onChange, error }) => (
          <div>
            <p className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.visibility.title")}</p>
            <DealVisibility isField deal={base} ownerId={ownerId} value={value} onSave={async (next) => onChange(next)} />
            {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
          </div>
        )}
      </FormInput>
    </RecordForm>
  );
}
