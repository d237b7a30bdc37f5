import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { Controller, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { Customer } from "@/api/schema";
import { DateField } from "@/components/date-field";
import { LazyRichEditor } from "@/components/lazy-rich-editor";
import { useLeaveGuard } from "@/components/leave-guard";
import { RecordForm } from "@/components/record-form";
import { Select } from "@/components/select";
import { TagInput } from "@/components/tag-input";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { AvatarField } from "@/features/files/avatar-field";
import { EditorsNote } from "@/features/team/editors-note";
import { MemberSelect } from "@/features/team/member-select";
import { RecordConflict } from "@/features/team/record-conflict";
import { isStale } from "@/records/conflicts";
import { showFieldErrors } from "@/records/form-errors";
import { useConflict, useFormBaseline } from "@/records/use-conflict";
import { useFormDraft } from "@/records/use-form-draft";
import { AttachmentsField } from "./attachments-field";
import { useCustomerFields } from "./conflict-fields";
import { ContactFields } from "./contact-fields";
import { customerQuery, customerTagsQuery, useSaveCustomer } from "./data";
import { type CustomerValues, fieldOf, toInput, toValues } from "./form-values";
import { statuses } from "./status";

const homes: Record<string, string> = { es: "ES", en: "US" };

export interface CustomerFormProps {
  /** Undefined creates a customer. */
  customer: Customer | undefined;
  onSaved: (customer: Customer) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
}

/** The form of a customer. */
export function CustomerForm({ customer, onSaved, onCancel, onDelete }: CustomerFormProps) {
  const { t, i18n } = useTranslation();
  const user = useUser();
  const notesLabel = useId();
  const { data: tags } = useQuery(customerTagsQuery);
  const client = useQueryClient();
  const draftName = `customer.${customer?.id ?? "new"}`;
  const baseline = useFormBaseline(customer, user.id, draftName);
  const home = homes[i18n.language] ?? "";
  const form = useForm<CustomerValues>({ defaultValues: toValues(baseline.base, home), mode: "onTouched" });
  const { control, register, handleSubmit, setError, watch, formState } = form;
  const { errors, isDirty } = formState;
  const draft = useFormDraft(form, user.id, draftName);
  const save = useSaveCustomer(baseline.base);
  const guard = useLeaveGuard(isDirty && !save.isPending, draft.finish);

  const done = (saved: Customer) => {
    guard.allow();
    draft.finish();
    onSaved(saved);
  };
  const submit = handleSubmit((values) =>
    save.mutate(toInput(values, customer === undefined), {
      onSuccess: done,
      onError: (error) => {
        if (isStale(error)) void conflict.open().catch(() => undefined);
        showFieldErrors(error, setError, (path) => fieldOf(path, values));
      },
    }),
  );
  const conflict = useConflict({
    record: customer,
    baseline,
    form,
    toValues: (record) => toValues(record, home),
    read: () => client.fetchQuery({ ...customerQuery(customer?.id ?? ""), staleTime: 0 }),
    save: () => void submit(),
  });
  const fields = useCustomerFields();
  const unplaced =
    save.error && !(save.error instanceof ApiError && Object.keys(save.error.fields).some((path) => fieldOf(path, form.getValues())))
      ? save.error
      : undefined;

  return (
    <>
      <RecordForm
        onSubmit={() => void submit()}
        draft={draft}
        guard={guard}
        save={save}
        error={unplaced}
        onCompare={() => void conflict.open().catch(() => undefined)}
        editors={<EditorsNote kind="customer" recordId={customer?.id} />}
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
              <LazyRichEditor
                key={`${draft.restored}-${conflict.round}`}
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
      <RecordConflict kind="customer" conflict={conflict} fields={fields} onTaken={done} />
    </>
  );
}
