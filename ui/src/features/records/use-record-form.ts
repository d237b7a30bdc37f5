import { type queryOptions, type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import { type DefaultValues, type FieldPath, type FieldValues, type UseFormReturn, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { FieldValues as CustomValues } from "@/api/schema";
import { useLeaveGuard } from "@/components/leave-guard";
import { useUser } from "@/features/account/data";
import { filledFields } from "@/features/fields/new-fields";
import { isStale } from "@/records/conflicts";
import { showFieldErrors } from "@/records/form-errors";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { useConflict, useFormBaseline, type Versioned } from "@/records/use-conflict";
import { useFormDraft } from "@/records/use-form-draft";
import type { ConflictViews } from "./record-conflict";

/** The query of one record. */
export type RecordQuery<R> = ReturnType<typeof queryOptions<R, Error, R, string[]>>;

/** What a form needs to know besides its values: where it is shown and what happens afterwards. */
export interface FormPlace<R> {
  /** Undefined creates a record. */
  record: R | undefined;
  onSaved: (record: R) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
}

/** A body, and the record that a save must not be newer than; undefined creates one. */
export interface SaveVariables<R, I> {
  input: I;
  known: R | undefined;
}

/** The custom fields of a new record are part of its form; those of others are saved by themselves. */
type WithFields<V> = V & { fields: CustomValues };

export interface RecordFormOptions<R extends Versioned, V extends FieldValues, I> extends FormPlace<R> {
  kind: CreatedKind;
  /** Distinguishes drafts of the same record: the occurrence of an event. */
  part?: string | undefined;
  toValues: (record: R | undefined) => V;
  /** Returns the body of the call; `known` is the record that the form started from. */
  toInput: (values: V, known: R | undefined) => I;
  save: UseMutationResult<R, Error, SaveVariables<R, I>>;
  /** The query of the record with an id. */
  query: (id: string) => RecordQuery<R>;
  /** Returns the form field for the path of a server error. */
  fieldOf: (path: string, values: V) => string | undefined;
  /** Returns a field with an error that concerns several fields, and its text. */
  check?: (values: V) => [FieldPath<V>, string] | undefined;
  conflictViews?: ConflictViews<V>;
}

/**
 * A form of a record with a save button: its draft survives a reload, a save overwrites no other change, the server's
 * errors appear at their fields, and leaving with changes asks.
 */
export function useRecordForm<R extends Versioned, V extends FieldValues, I>(options: RecordFormOptions<R, V, I>) {
  const { kind, record, part, save, onSaved, onCancel, onDelete, conflictViews } = options;
  const toValues = (shown: R | undefined): WithFields<V> => ({ ...options.toValues(shown), fields: {} });
  const { t } = useTranslation();
  const user = useUser();
  const client = useQueryClient();
  const draftName = [kind, record?.id ?? "new", part].filter(Boolean).join(".");
  const baseline = useFormBaseline(record, user.id, draftName);
  const form = useForm<WithFields<V>>({ defaultValues: toValues(baseline.base) as DefaultValues<WithFields<V>>, mode: "onTouched" });
  const draft = useFormDraft(form, user.id, draftName);
  const guard = useLeaveGuard(form.formState.isDirty && !save.isPending, draft.finish);
  const fieldOf = (path: string, values: V) => (path.startsWith("fields.") ? path : options.fieldOf(path, values));

  const leave = () => {
    guard.allow();
    draft.finish();
  };
  const done = (saved: R) => {
    leave();
    onSaved(saved);
  };
  const compare = () => void conflict.open().catch(() => undefined);
  const send = form.handleSubmit((values) => {
    const wrong = options.check?.(values);
    if (wrong) return form.setError(wrong[0] as FieldPath<WithFields<V>>, { message: wrong[1] }, { shouldFocus: true });
    const input = { ...options.toInput(values, baseline.base), ...filledFields(values.fields) };
    return save.mutate(
      { input, known: baseline.base },
      {
        onSuccess: done,
        onError: (error) => {
          if (isStale(error)) compare();
          showFieldErrors(error, form.setError, (path) => fieldOf(path, values));
        },
      },
    );
  });
  const submit = () => {
    // What the server said of custom fields, which have no inputs of the form.
    form.clearErrors("fields" as FieldPath<WithFields<V>>);
    void send();
  };
  const conflict = useConflict({
    record,
    baseline,
    form,
    toValues,
    read: () => client.fetchQuery({ ...options.query(record?.id ?? ""), staleTime: 0 }),
    save: submit,
  });
  const { error } = save;
  const isPlaced = error instanceof ApiError && Object.keys(error.fields).some((path) => fieldOf(path, form.getValues()));
  return {
    ...(form as unknown as UseFormReturn<V>),
    errors: (form as unknown as UseFormReturn<V>).formState.errors,
    kind,
    record,
    /** The record that the form started from. */
    base: baseline.base,
    /** Changes when the fields are refilled; components that keep their own text restart with it. */
    round: `${draft.restored}-${conflict.round}`,
    /** What `RecordForm` shows. */
    frame: {
      submit,
      submitText: record ? t("ui.action.save") : t(`ui.${recordKinds[kind].name}.add`),
      isPending: save.isPending,
      draft,
      guard,
      /** The error of the save, if no field shows it. */
      error: isPlaced ? undefined : (error ?? undefined),
      compare,
      cancel: () => {
        leave();
        onCancel();
      },
      onDelete,
      conflict,
      conflictViews,
      onTaken: done,
    },
  };
}

export type RecordFormState<R extends Versioned, V extends FieldValues> = ReturnType<typeof useRecordForm<R, V, never>>;
