import { type FormEvent, useCallback, useEffect, useId } from "react";
import { type DefaultValues, type FieldValues, type Path, useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { showFieldErrors } from "@/lib/form-errors";
import { toast } from "@/lib/toast";

interface Save<Patch, Saved> {
  mutate: (patch: Patch, options: { onSuccess: (saved: Saved) => void; onError: (error: Error) => void }) => void;
  reset: () => void;
  isPending: boolean;
  error: Error | null;
}

/** Hears whether a form holds what is not saved: the screen asks once for all of its forms before one leaves. */
export type ReportDirty = (form: string, dirty: boolean) => void;

export interface SettingsFormOptions<Values extends FieldValues, Saved, Patch> {
  /** What the server has. */
  saved: Saved;
  toValues: (saved: Saved) => Values;
  /** What is sent; only the parts that were changed are taken from it. */
  toPatch: (values: Values) => Patch;
  save: Save<Partial<Patch>, Saved>;
  /** Sends all of it, whatever was changed. */
  whole?: boolean;
  onDirty?: ReportDirty;
}

/** A topic's form: sends what was changed, and puts what the server refuses at its field. */
export function useSettingsForm<Values extends FieldValues, Saved, Patch extends object>({
  saved,
  toValues,
  toPatch,
  save,
  whole = false,
  onDirty,
}: SettingsFormOptions<Values, Saved, Patch>) {
  const { t } = useTranslation();
  const form = useForm<Values>({ defaultValues: toValues(saved) as DefaultValues<Values>, mode: "onTouched" });
  const { isDirty, dirtyFields } = form.formState;
  const id = useId();
  const unsaved = isDirty && !save.isPending;
  useEffect(() => {
    onDirty?.(id, unsaved);
    return () => onDirty?.(id, false);
  }, [onDirty, id, unsaved]);
  const known = useCallback((name: string) => name in toValues(saved), [saved, toValues]);
  const submit = form.handleSubmit((values) => {
    const changed = Object.entries(toPatch(values)).filter(([name]) => whole || name in dirtyFields);
    save.mutate(Object.fromEntries(changed) as Partial<Patch>, {
      onSuccess: (next) => {
        form.reset(toValues(next));
        toast.success(t("ui.form.saved"));
      },
      onError: (error) => {
        // `domains.1` is said at the list.
        showFieldErrors(error, form.setError, (path) => {
          const field = path.replace(/\.\d+$/, "");
          return known(field.split(".")[0] ?? "") ? (field as Path<Values>) : undefined;
        });
      },
    });
  });
  const placed = save.error instanceof ApiError && Object.keys(save.error.fields).some((path) => known(path.split(".")[0] ?? ""));
  return {
    form,
    unsaved,
    card: {
      dirty: isDirty,
      busy: save.isPending,
      error: save.error && !placed ? errorText(save.error) : undefined,
      onSubmit: (event: FormEvent) => void submit(event),
      onReset: () => {
        save.reset();
        form.reset(toValues(saved));
      },
    },
  };
}
