import { useTranslation } from "react-i18next";
import type { Organization } from "@/api/schema";
import { TagsField } from "@/components/tags-field";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { ContactFields } from "@/features/contact/contact-fields";
import { contactFieldOf } from "@/features/contact/contact-values";
import { SimilarBar } from "@/features/duplicates/similar";
import { AvatarField } from "@/features/files/avatar-field";
import { FormInput } from "@/features/records/form-input";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { MemberSelect } from "@/features/team/member-select";
import { region } from "@/lib/region";
import { toInput, toValues } from "./form-values";

/** The form of an organization. */
export function OrganizationForm(place: FormPlace<Organization>) {
  const { t } = useTranslation();
  const home = region().phoneCountry;
  const form = useRecordForm({
    ...place,
    kind: "organization",
    // Who adds an organization is responsible for it.
    toValues: (organization, me) => ({ ...toValues(organization, home), ...(!organization && { ownerId: me }) }),
    toInput,
    fieldOf: contactFieldOf,
  });
  const { registerText } = form;

  return (
    <RecordForm form={form} aboveButtons={<SimilarBar kind="organization" form={form} />}>
      <TextField label={t("ui.customers.name")} autoFocus autoComplete="off" {...registerText("name", { isRequired: true })} />
      <div className="grid gap-5 sm:grid-cols-2">
        <FormInput form={form} name="ownerId">
          {(input) => <MemberSelect label={t("ui.customers.owner")} {...input} />}
        </FormInput>
        <TextField
          label={t("ui.organizations.website")}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="none"
          placeholder="https://…"
          {...registerText("website")}
        />
      </div>
      <FormInput form={form} name="tags">
        {(input) => <TagsField label={t("ui.customers.tags")} hint={t("ui.customers.tagsHint")} {...input} />}
      </FormInput>
      <ContactFields form={form} home={home} />
      <TextArea label={t("ui.customers.address")} rows={2} autoComplete="off" {...registerText("address")} />
      <TextArea label={t("ui.customers.about")} rows={2} {...registerText("about")} />
      <FormInput form={form} name="logo">
        {(input) => <AvatarField label={t("ui.organizations.logo")} name={form.watch("name")} {...input} />}
      </FormInput>
    </RecordForm>
  );
}
