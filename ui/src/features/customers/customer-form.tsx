import { useQuery } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Controller, useFieldArray, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { Customer } from "@/api/schema";
import { Button } from "@/components/button";
import { DateField } from "@/components/date-field";
import { IconButton } from "@/components/icon-button";
import { LateRichEditor } from "@/components/late-rich-editor";
import { useLeaveGuard } from "@/components/leave-guard";
import { RecordForm } from "@/components/record-form";
import { Select } from "@/components/select";
import { TagInput } from "@/components/tag-input";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { AvatarField } from "@/features/files/avatar-field";
import { MemberSelect } from "@/features/team/member-select";
import { countries } from "@/lib/countries";
import { showFieldErrors } from "@/lib/form-errors";
import { useFormDraft } from "@/lib/use-form-draft";
import { AttachmentsField } from "./attachments-field";
import { customerTagsQuery, useSaveCustomer } from "./data";
import { type CustomerValues, fieldOf, toInput, toValues } from "./form-values";
import { statuses } from "./status";

const homes: Record<string, string> = { es: "ES", en: "US" };
const address = /^\S+@\S+\.\S+$/;

export interface CustomerFormProps {
  /** Undefined makes a new one. */
  customer: Customer | undefined;
  onSaved: (customer: Customer) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
  onReload?: () => void;
}

/** All that is known of a customer, to fill in or change. */
export function CustomerForm({ customer, onSaved, onCancel, onDelete, onReload }: CustomerFormProps) {
  const { t, i18n } = useTranslation();
  const user = useUser();
  const notesLabel = useId();
  const { data: tags } = useQuery(customerTagsQuery);
  const form = useForm<CustomerValues>({
    defaultValues: toValues(customer, homes[i18n.language] ?? ""),
    mode: "onTouched",
  });
  const { control, register, handleSubmit, setError, watch, formState } = form;
  const { errors, isDirty } = formState;
  const emails = useFieldArray({ control, name: "emails" });
  const phones = useFieldArray({ control, name: "phoneNumbers" });
  const draft = useFormDraft(form, user.id, `customer.${customer?.id ?? "new"}`);
  const save = useSaveCustomer(customer);
  const guard = useLeaveGuard(isDirty && !save.isPending, draft.drop);

  const submit = handleSubmit((values) =>
    save.mutate(toInput(values, customer === undefined), {
      onSuccess: (saved) => {
        guard.allow();
        draft.drop();
        onSaved(saved);
      },
      onError: (error) => showFieldErrors(error, setError, (path) => fieldOf(path, values)),
    }),
  );
  const unplaced =
    save.error && !(save.error instanceof ApiError && Object.keys(save.error.fields).some((path) => fieldOf(path, form.getValues())))
      ? save.error
      : undefined;
  const choices = countries();

  return (
    <>
      <RecordForm
        onSubmit={() => void submit()}
        draft={draft}
        guard={guard}
        save={save}
        error={unplaced}
        onReload={onReload}
        onCancel={onCancel}
        onDelete={onDelete}
        submit={customer ? t("ui.action.save") : t("ui.customers.add")}
      >
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
          autoFocus={!customer}
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
        <fieldset className="grid grid-cols-1 gap-3">
          <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.emails")}</legend>
          {emails.fields.map((row, at) => (
            <div key={row.id} className="flex items-start gap-2">
              <TextField
                label={t("ui.customers.emailAt", { number: at + 1 })}
                hideLabel
                type="email"
                inputMode="email"
                autoComplete="off"
                className="flex-[3]"
                placeholder={t("ui.customers.emailPlaceholder")}
                error={errors.emails?.[at]?.email?.message}
                {...register(`emails.${at}.email`, {
                  validate: (value) => !value.trim() || address.test(value.trim()) || t("ui.form.email"),
                })}
              />
              <TextField
                label={t("ui.customers.labelOf", { number: at + 1 })}
                hideLabel
                autoComplete="off"
                className="flex-[1.4]"
                placeholder={t("ui.customers.labelPlaceholder")}
                error={errors.emails?.[at]?.label?.message}
                {...register(`emails.${at}.label`)}
              />
              <IconButton label={t("ui.customers.removeEmail", { number: at + 1 })} icon={X} onClick={() => emails.remove(at)} />
            </div>
          ))}
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="-ml-2.75 justify-self-start"
            onClick={() => emails.append({ email: "", label: "" })}
          >
            {t("ui.customers.addEmail")}
          </Button>
        </fieldset>
        <fieldset className="grid grid-cols-1 gap-3">
          <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.phones")}</legend>
          {phones.fields.map((row, at) => (
            <div key={row.id} className="flex flex-wrap items-start gap-2">
              <Controller
                control={control}
                name={`phoneNumbers.${at}.country`}
                render={({ field }) => (
                  <Select
                    label={t("ui.customers.countryOf", { number: at + 1 })}
                    hideLabel
                    className="w-full sm:w-44"
                    value={field.value ? field.value.toUpperCase() : null}
                    placeholder={t("ui.customers.country")}
                    onChange={field.onChange}
                    options={choices}
                    error={errors.phoneNumbers?.[at]?.country?.message}
                  />
                )}
              />
              <TextField
                label={t("ui.customers.phoneAt", { number: at + 1 })}
                hideLabel
                type="tel"
                inputMode="tel"
                autoComplete="off"
                className="min-w-32 flex-[2]"
                placeholder={t("ui.customers.phonePlaceholder")}
                error={errors.phoneNumbers?.[at]?.phoneNumber?.message}
                {...register(`phoneNumbers.${at}.phoneNumber`)}
              />
              <TextField
                label={t("ui.customers.labelOf", { number: at + 1 })}
                hideLabel
                autoComplete="off"
                className="min-w-20 flex-[1.2]"
                placeholder={t("ui.customers.labelPlaceholder")}
                error={errors.phoneNumbers?.[at]?.label?.message}
                {...register(`phoneNumbers.${at}.label`)}
              />
              <IconButton label={t("ui.customers.removePhone", { number: at + 1 })} icon={X} onClick={() => phones.remove(at)} />
            </div>
          ))}
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="-ml-2.75 justify-self-start"
            onClick={() => phones.append({ country: homes[i18n.language] ?? "", phoneNumber: "", label: "" })}
          >
            {t("ui.customers.addPhone")}
          </Button>
        </fieldset>
        <div className="grid gap-5 sm:grid-cols-2">
          <TextArea
            label={t("ui.customers.address")}
            rows={2}
            autoComplete="off"
            error={errors.address?.message}
            {...register("address")}
          />
          <Controller
            control={control}
            name="birthday"
            render={({ field }) => (
              <DateField
                label={t("ui.customers.birthday")}
                value={field.value}
                onChange={field.onChange}
                error={errors.birthday?.message}
              />
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
              <LateRichEditor
                key={draft.restored ? "draft" : "stored"}
                label={t("ui.customers.notes")}
                value={field.value}
                onChange={field.onChange}
              />
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
      {guard.dialog}
    </>
  );
}
