import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { type DefaultValues, type FieldError, type FieldPath, type FieldValues, get, type UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { FieldValues as CustomValues, InputOf, RecordOf } from "@/api/schema";
import { useLeaveGuard } from "@/components/leave-guard";
import { useUser } from "@/features/account/data";
import { filledFields } from "@/features/fields/new-fields";
import { readDraft } from "@/lib/drafts";
import { useFieldForm } from "@/lib/use-field-form";
import { isStale } from "@/records/conflicts";
import { type ChangeRecord, isGone, type RecordQuery, recordQuery, useSaveRecord } from "@/records/data";
import { showFieldErrors } from "@/records/form-errors";
import { type CreatedKind, recordKinds } from "@/records/kinds";
import { noteCreated, noteFormSaved, noteNotUndoable } from "@/records/undo-change";
import { useConflict, useFormBaseline } from "@/records/use-conflict";
import { useFormDraft } from "@/records/use-form-draft";
import type { ConflictViews } from "./record-conflict";

/** What a form needs to know besides its values: where it is shown and what happens afterwards. */
export interface FormPlace<R> {
  /** Undefined creates a record. */
  record: R | undefined;
  onSaved: (record: R) => void;
  onCancel: () => void;
  onDelete?: (() => void) | undefined;
}

/** The custom fields of a new record are part of its form; those of others are saved by themselves. */
type WithFields<V> = V & { fields: CustomValues };

export interface RecordFormOptions<K extends CreatedKind, V extends FieldValues> extends FormPlace<RecordOf<K>> {
  kind: K;
  /** Distinguishes drafts of the same record: the occurrence of an event. */
  part?: string | undefined;
  /** Returns the values of a record, or of a new one that the member `me` creates. */
  toValues: (record: RecordOf<K> | undefined, me: string) => V;
  /** Returns the body of the call; `known` is the record that the form started from. */
  toInput: (values: V, known: RecordOf<K> | undefined) => InputOf<K>;
  /** The query of the record and the call that changes it, where they are not those that every kind has. */
  query?: RecordQuery<K>;
  change?: ChangeRecord<K>;
  /** Returns the form field for the path of a server error, where it is not the one with the same name. */
  fieldOf?: (path: string, values: V) => string | undefined;
  /** Returns a field with an error that concerns several fields, and its text. */
  check?: (values: V) => [FieldPath<V>, string] | undefined;
  /** Returns the values with what is found out before they are sent. */
  complete?: (values: V, known: RecordOf<K> | undefined) => Promise<V>;
  conflictViews?: ConflictViews<V>;
}

interface TextRules {
  isRequired?: boolean;
  /** Returns what is wrong with a text. */
  validate?: (text: string) => string | undefined;
}

/** Returns the form field that the path of a server error begins with, if the form has it. */
function sameField(path: string, values: object): string | undefined {
  const [name = ""] = path.split(/[.[]/);
  return name in values ? name : undefined;
}

/** Returns the name of the draft of a record's form. */
const draftNameOf = (kind: CreatedKind, id: string | undefined, part?: string) => [kind, id ?? "new", part].filter(Boolean).join(".");

/** Whether the form of a record has text from before a reload, which is not saved. */
export const hasDraft = (kind: CreatedKind, id: string, member: string) => readDraft(member, draftNameOf(kind, id)) !== undefined;

/**
 * A form of a record with a save button: its draft survives a reload, a save overwrites no other change, the server's
 * errors appear at their fields, and leaving with changes asks.
 */
export function useRecordForm<K extends CreatedKind, V extends FieldValues>(options: RecordFormOptions<K, V>) {
  const { kind, record, part, onSaved, onCancel, onDelete, conflictViews } = options;
  const save = useSaveRecord(kind, options.change);
  const toValues = (shown: RecordOf<K> | undefined): WithFields<V> => ({ ...options.toValues(shown, user.id), fields: {} });
  const { t } = useTranslation();
  const user = useUser();
  const client = useQueryClient();
  const draftName = draftNameOf(kind, record?.id, part);
  const baseline = useFormBaseline(record, user.id, draftName);
  const form = useFieldForm<WithFields<V>>({ defaultValues: toValues(baseline.base) as DefaultValues<WithFields<V>> });
  const draft = useFormDraft(form, user.id, draftName);
  const guard = useLeaveGuard(form.formState.isDirty && !save.isPending, draft.finish);
  const fieldOf = (path: string, values: V) =>
    path.startsWith("fields.") ? path : (options.fieldOf?.(path, values) ?? sameField(path, values));
  /** Returns the values of the form without the custom fields, which are no part of the kind's own. */
  const ownValues = ({ fields: _fields, ...values }: WithFields<V>) => values as unknown as V;

  const leave = () => {
    guard.allow();
    draft.finish();
  };
  const done = (saved: RecordOf<K>) => {
    leave();
    onSaved(saved);
  };
  /** Lets the save be undone. */
  const noteSaved = (sent: InputOf<K>, saved: RecordOf<K>) => {
    const before = baseline.base;
    if (!before) return noteCreated(client, kind, saved);
    // A change of a series may have made two of it.
    if (part || saved.id !== before.id) return noteNotUndoable(`form.${kind}.${saved.id}.${saved.version}`);
    const former = options.toInput(options.toValues(before, user.id), before);
    const change = (body: InputOf<K>, latest: RecordOf<K>) => save.mutateAsync({ input: body, known: latest });
    noteFormSaved({ kind, before, saved, sent, former, change });
  };
  const compare = () => void conflict.open().catch(() => undefined);
  const isCompleting = useRef(false);
  const send = form.handleSubmit(async (all) => {
    let values = ownValues(all);
    const wrong = options.check?.(values);
    if (wrong) return form.setError(wrong[0] as FieldPath<WithFields<V>>, { message: wrong[1] }, { shouldFocus: true });
    if (options.complete) {
      if (isCompleting.current) return;
      isCompleting.current = true;
      values = await options.complete(values, baseline.base).finally(() => {
        isCompleting.current = false;
      });
    }
    const input = { ...options.toInput(values, baseline.base), ...filledFields(all.fields) };
    return save.mutate(
      { input, known: baseline.base },
      {
        onSuccess: (saved) => {
          noteSaved(input, saved);
          done(saved);
        },
        onError: (error) => {
          if (isStale(error)) compare();
          // The record is read again, and says who moved it to the bin.
          if (isGone(error) && record) void client.invalidateQueries({ queryKey: recordQuery(kind, record.id).queryKey });
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
    read: () => client.fetchQuery({ ...(options.query ?? recordQuery(kind, record?.id ?? "")), staleTime: 0 }),
    save: submit,
  });
  const { error } = save;
  const isPlaced = error instanceof ApiError && Object.keys(error.fields).some((path) => fieldOf(path, ownValues(form.getValues())));
  const own = form as unknown as UseFormReturn<V>;
  return {
    ...own,
    errors: own.formState.errors,
    /** Returns the attributes of a text input: those of `register`, and its error. */
    registerText: (name: FieldPath<V>, { isRequired = false, validate }: TextRules = {}) => ({
      ...own.register(name, {
        validate: (text: string) => (isRequired && !text.trim() ? t("ui.form.required") : validate?.(text)) ?? true,
      }),
      required: isRequired,
      error: (get(own.formState.errors, name) as FieldError | undefined)?.message,
    }),
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
      /** Allows the next navigation to leave the form; its draft stays. */
      allowLeave: guard.allow,
      cancel: () =>
        guard.discard(() => {
          leave();
          onCancel();
        }),
      onDelete,
      conflict,
      conflictViews,
      onTaken: done,
    },
  };
}

export type RecordFormState<K extends CreatedKind, V extends FieldValues> = ReturnType<typeof useRecordForm<K, V>>;
