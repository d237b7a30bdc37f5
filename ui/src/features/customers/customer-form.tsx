import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { Controller } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Customer } from "@/api/schema";
import { DateField } from "@/components/date-field";
import { LazyRichEditor } from "@/components/lazy-rich-editor";
import { Select } from "@/components/select";
import { TagInput } from "@/components/tag-input";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { AvatarField } from "@/features/files/avatar-field";
import { RecordForm } from "@/features/records/record-form";
import { type FormPlace, useRecordForm } from "@/features/records/use-record-form";
import { MemberSelect } from "@/features/team/member-select";
import { AttachmentsField } from "./attachments-field";
import { ContactFields } from "./contact-fields";
import { customerQuery, customerTagsQuery, useSaveCustomer } from "./data";
import { fieldOf, toInput, toValues } from "./form-values";
import { statuses } from "./status";

const homes: Record<string, string> = { es: "ES", en: "US" };

/** The form of a customer. */
export function CustomerForm(place: FormPlace<Customer>) {
  const { t, i18n } = useTranslation();
  const notesLabel = useId();
  const { data: tags } = useQuery(customerTagsQuery);
  const home = homes[i18n.language] ?? "";
  const form = useRecordForm({
    ...place,
    kind: "customer",
    query: customerQuery,
    save: useSaveCustomer(),
    toValues: (customer?: Customer) => toValues(customer, home),
    toInput: (values, known) => toInput(values, known === undefined),
    fieldOf,
  });
  const { control, register, watch, errors } = form;

  return (
    <RecordForm form={form}>
      <Controller
        control={control}
        name="avatar"
        render={({ field }) => (
          <AvatarField label={t("ui.customers.avatar")} name={watch("name")} value={field.value} onChange={field.onChange} />
        )}
      />
      <Controller
        control={control}
        name="background"
        render={({ field }) => (
          <AvatarField wide label={t("ui.customers.background")} name="" value={field.value} onChange={field.onChange} />
        )}
      />
      <TextField
        label={t("ui.customers.name")}
        required
        autoFocus
        autoComplete="off"
        maxLength={200}
        error={errors.name?.message}
        {...register("name", { validate: (value) => value.trim() !== "" || t("ui.form.required") })}
      />
      <div className="grid gap-5 sm:grid-cols-2">
        <Controller
          control={control}
          name="status"
          render={({ field }) => (
            <Select
              label={t("ui.customers.status")}
              value={field.value}
              onChange={field.onChange}
              error={errors.status?.message}
              options={statuses.map((value) => ({ value, label: t(`ui.customers.statuses.${value}`) }))}
            />
          )}
        />
        <Controller
          control={control}
          name="ownerId"
          render={({ field }) => (
            <MemberSelect
              label={t("ui.customers.owner")}
              value={field.value ?? undefined}
              onChange={(id) => field.onChange(id ?? null)}
              error={errors.ownerId?.message}
            />
          )}
        />
        <TextField label={t("ui.customers.company")} autoComplete="off" error={errors.company?.message} {...register("company")} />
        <TextField label={t("ui.customers.jobTitle")} autoComplete="off" error={errors.title?.message} {...register("title")} />
      </div>
      <Controller
        control={control}
        name="tags"
        render={({ field }) => (
          <TagInput
            label={t("ui.customers.tags")}
            hint={t("ui.customers.tagsHint")}
            value={field.value}
            onChange={field.onChange}
            suggestions={tags ?? []}
            error={errors.tags?.message ?? errors.tags?.find?.((one) => one?.message)?.message}
          />
        )}
      />
      <ContactFields form={form} home={home} />
      <div className="grid gap-5 sm:grid-cols-2">
        <TextArea label={t("ui.customers.address")} rows={2} autoComplete="off" error={errors.address?.message} {...register("address")} />
        <Controller
          control={control}
          name="birthday"
          render={({ field }) => (
            <DateField label={t("ui.customers.birthday")} value={field.value} onChange={field.onChange} error={errors.birthday?.message} />
          )}
        />
      </div>
      <TextArea label={t("ui.customers.about")} rows={2} error={errors.about?.message} {...register("about")} />
      <div>
        <p id={notesLabel} className="mb-1.5 text-sm font-medium text-gray-700">
          {t("ui.customers.notes")}
        </p>
        <Controller
          control={control}
          name="notes"
          render={({ field }) => (
            <LazyRichEditor key={form.round} label={t("ui.customers.notes")} value={field.value} onChange={field.onChange} />
          )}
        />
        {errors.notes && <p className="mt-1.5 text-sm text-bad">{errors.notes.message}</p>}
      </div>
      <Controller
        control={control}
        name="attachments"
        render={({ field }) => (
          <AttachmentsField
            value={field.value}
            onChange={field.onChange}
            error={errors.attachments?.message ?? errors.attachments?.root?.message}
          />
        )}
      />
    </RecordForm>
  );
}
