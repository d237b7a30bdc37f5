import { type FormEvent, useCallback, useEffect, useId, useRef, useState } from "react";
import type { DefaultValues, FieldValues, Path } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { ConflictDialog } from "@/components/conflict-dialog";
import { toast } from "@/lib/toast";
import { useFieldForm } from "@/lib/use-field-form";
import { type ConflictField, isSameValue, isStale } from "@/records/conflicts";
import { showFieldErrors } from "@/records/form-errors";

interface Callbacks<Saved> {
  onSuccess: (saved: Saved) => void;
  onError: (error: Error) => void;
}

interface Save<Patch, Saved> {
  mutate: (patch: Patch, options: Callbacks<Saved>) => void;
  reset: () => void;
  isPending: boolean;
  error: Error | null;
}

/** Reports whether a form has unsaved changes: the screen asks once for all of its forms before leaving. */
export type ReportDirty = (form: string, dirty: boolean) => void;

export type SettingsFormOptions<Values extends FieldValues, Saved, Patch> = {
  /** The server's values. */
  saved: Saved;
  toValues: (saved: Saved) => Values;
  /** Returns the request body. */
  toPatch: (values: Values) => Patch;
  onDirty?: ReportDirty;
  /**
   * For records that others may change at the same time: the fields of a conflict, and how to read the record again.
   */
  conflict?: { fields: readonly ConflictField<Values>[]; read: () => Promise<unknown> };
} & (
  | { save: Save<Partial<Patch>, Saved>; whole?: never }
  /** Sends all of the body, changed or not. */
  | { save: Save<Patch, Saved>; whole: true }
);

/** Manages a settings form: sends the changes, and shows the server's errors at their fields. */
export function useSettingsForm<Values extends FieldValues, Saved, Patch extends object>({
  saved,
  toValues,
  toPatch,
  save,
  whole,
  onDirty,
  conflict,
}: SettingsFormOptions<Values, Saved, Patch>) {
  const { t } = useTranslation();
  const form = useFieldForm<Values>({ defaultValues: toValues(saved) as DefaultValues<Values> });
  const { isDirty, dirtyFields } = form.formState;
  const [base, setBase] = useState(() => toValues(saved));
  const [mine, setMine] = useState<Values>();
  const mustSave = useRef(false);
  const [round, setRound] = useState(0);
  const theirs = toValues(saved);
  const { reset } = form;
  // While the form has no changes, it follows the changes of others.
  useEffect(() => {
    if (isDirty || isSameValue(base, toValues(saved))) return;
    setBase(toValues(saved));
    reset(toValues(saved) as DefaultValues<Values>);
  }, [saved, toValues, base, isDirty, reset]);
  const id = useId();
  const unsaved = isDirty && !save.isPending;
  useEffect(() => {
    onDirty?.(id, unsaved);
    return () => onDirty?.(id, false);
  }, [onDirty, id, unsaved]);
  const known = useCallback((name: string) => name in toValues(saved), [saved, toValues]);
  const submit = form.handleSubmit((values) => {
    const isConflict = conflict?.fields.some(({ names }) =>
      names.some(
        (name) =>
          !isSameValue(base[name], values[name]) && !isSameValue(base[name], theirs[name]) && !isSameValue(values[name], theirs[name]),
      ),
    );
    if (isConflict) return setMine(values);
    const patch = toPatch(values);
    const callbacks: Callbacks<Saved> = {
      onSuccess: (next) => {
        setBase(toValues(next));
        form.reset(toValues(next));
        toast.success(t("ui.form.saved"));
      },
      onError: (error) => {
        if (conflict && isStale(error)) {
          // The version that is read now is overwritten, or the member is asked.
          void conflict.read().then(
            // After the screen has it.
            () => setTimeout(saveAgain),
            () => undefined,
          );
          return;
        }
        // An error of a list's entry, such as `domains.1`, is shown at the list.
        showFieldErrors(error, form.setError, (path) => {
          const field = path.replace(/\.\d+$/, "");
          return known(field.split(".")[0] ?? "") ? (field as Path<Values>) : undefined;
        });
      },
    };
    if (whole) return save.mutate(patch, callbacks);
    const changed = Object.entries(patch).filter(([name]) => name in dirtyFields);
    return save.mutate(Object.fromEntries(changed) as Partial<Patch>, callbacks);
  });
  const saveAgain = () => {
    mustSave.current = true;
    setRound((before) => before + 1);
  };
  const call = useRef(submit);
  call.current = submit;
  useEffect(() => {
    if (round === 0 || !mustSave.current) return;
    mustSave.current = false;
    void call.current();
  }, [round]);
  const choose = (chosen: Values, ownKept: boolean) => {
    setMine(undefined);
    setBase(theirs);
    save.reset();
    form.reset(theirs);
    if (!ownKept) return;
    form.reset(chosen, { keepDefaultValues: true });
    saveAgain();
  };
  const placed = save.error instanceof ApiError && Object.keys(save.error.fields).some((path) => known(path.split(".")[0] ?? ""));
  return {
    form,
    unsaved,
    card: {
      dirty: isDirty,
      busy: save.isPending,
      dialog: conflict && mine && (
        <ConflictDialog
          fields={conflict.fields}
          base={base}
          mine={mine}
          theirs={theirs}
          onChoose={choose}
          onClose={() => setMine(undefined)}
        />
      ),
      error: save.error && !placed && !(conflict && isStale(save.error)) ? errorText(save.error) : undefined,
      onSubmit: (event: FormEvent) => void submit(event),
      onReset: () => {
        save.reset();
        setBase(toValues(saved));
        form.reset(toValues(saved));
      },
    },
  };
}
