import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Customer } from "@/api/schema";
import { DateField } from "@/components/date-field";
import { LazyRichEditor } from "@/components/lazy-rich-editor";
import { TagsField } from "@/components/tags-field";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useMay } from "@/features/account/data";
import { ContactFields } from "@/features/contact/contact-fields";
import { SimilarBar } from "@/features/duplicates/similar";
import { AvatarField } from "@/features/files/avatar-field";
import { CompanyInput } from "@/features/records/company-input";
import { FormInput } from "@/features/records/form-input";
import { RecordForm } from "@/features/records/record-form";
import { StatusSelect } from "@/features/records/status-select";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { MemberSelect } from "@/features/team/member-select";
import { region } from "@/lib/region";
import { recordId } from "@/lib/search-params";
import { useAddressQuery } from "@/lib/use-address";
import { linkByName } from "@/records/named-organizations";
import { useStatuses } from "@/records/statuses";
import { AttachmentsField } from "./attachments-field";
import { fieldOf, toInput, toValues } from "./form-values";

/** The organization that a new customer belongs to at first. */
export const organizationParameter = "organization";
const addressParsers = { [organizationParameter]: recordId };

/** The form of a customer. */
export function CustomerForm(place: FormPlace<Customer>) {
  const { t } = useTranslation();
  const { organization } = useAddressQuery(addressParsers).values;
  const first = useStatuses().offered[0]?.id ?? null;
  const home = region().phoneCountry;
  const client = useQueryClient();
  const mayReadOrganizations = useMay("organizations.read");
  const form = useRecordForm({
    ...place,
    kind: "customer",
    // Who adds a customer is responsible for it.
    toValues: (customer, me) => ({ ...toValues(customer, home), ...(!customer && { ownerId: me, organizationId: organization ?? null }) }),
    toInput,
    fieldOf,
    complete: async (values, known) => {
      // A text that was there before stays one.
      const isSame = known && !known.organizationId && values.company === (known.details.company ?? "");
      if (isSame || !mayReadOrganizations) return values;
      const { organizationId, company: name, newOrganization: isNew } = values;
      const { company } = await linkByName(client, { id: organizationId ?? null, name, isNew });
      return { ...values, organizationId: company.id, company: company.name };
    },
  });
  const { registerText } = form;

  return (
    <RecordForm form={form} aboveButtons={<SimilarBar kind="customer" form={form} />}>
      <TextField label={t("ui.customers.name")} autoFocus autoComplete="off" {...registerText("name", { isRequired: true })} />
      <div className="grid gap-5 sm:grid-cols-2">
        <FormInput form={form} name="status">
          {(input) => <StatusSelect label={t("ui.customers.status")} {...input} value={input.value || first} />}
        </FormInput>
        <FormInput form={form} name="ownerId">
          {(input) => <MemberSelect label={t("ui.customers.owner")} {...input} />}
        </FormInput>
        <FormInput form={form} name="organizationId">
          {(link) => (
            <FormInput form={form} name="company">
              {({ value, onChange, error, ref }) => (
                <CompanyInput
                  label={t("ui.customers.company")}
                  value={{ id: link.value ?? null, name: value, isNew: form.watch("newOrganization") }}
                  onChange={({ id, name, isNew = false }) => {
                    link.onChange(id);
                    onChange(name);
                    form.setValue("newOrganization", isNew);
                  }}
                  error={error}
                  ref={ref}
                />
              )}
            </FormInput>
          )}
        </FormInput>
        <TextField label={t("ui.customers.jobTitle")} autoComplete="off" {...registerText("title")} />
      </div>
      <FormInput form={form} name="tags">
        {(input) => <TagsField label={t("ui.customers.tags")} hint={t("ui.customers.tagsHint")} {...input} />}
      </FormInput>
      <ContactFields form={form} home={home} />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextArea label={t("ui.customers.address")} rows={2} autoComplete="off" {...registerText("address")} />
        <FormInput form={form} name="birthday">
          {(input) => <DateField label={t("ui.customers.birthday")} yearIsOptional {...input} />}
        </FormInput>
      </div>
      <TextArea label={t("ui.customers.about")} rows={2} {...registerText("about")} />
      <FormInput form={form} name="notes">
        {({ error, ...input }) => (
          <div>
            <p className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.notes")}</p>
            <LazyRichEditor key={form.round} label={t("ui.customers.notes")} {...input} />
            {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
          </div>
        )}
      </FormInput>
      <FormInput form={form} name="avatar">
        {(input) => <AvatarField label={t("ui.customers.avatar")} name={form.watch("name")} {...input} />}
      </FormInput>
      <FormInput form={form} name="background">
        {(input) => <AvatarField wide label={t("ui.customers.background")} name="" {...input} />}
      </FormInput>
      <FormInput form={form} name="attachments">
        {(input) => <AttachmentsField {...input} />}
      </FormInput>
    </RecordForm>
  );
}
