import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { NewShortcut, Shortcut } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Switch } from "@/components/switch";
import { TextField } from "@/components/text-field";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { useFieldForm } from "@/lib/use-field-form";
import { useDeleteShortcut, useSaveShortcut } from "./data";
import { IconPicker } from "./icon-picker";

export interface ShortcutFormProps {
  shortcut: Shortcut | undefined;
  onCancel: () => void;
  onSaved: () => void;
}

/** Creates a shortcut, or changes the given one. */
export function ShortcutForm({ shortcut, onCancel, onSaved }: ShortcutFormProps) {
  const { t } = useTranslation();
  const save = useSaveShortcut();
  const remove = useDeleteShortcut();
  const form = useFieldForm<Required<NewShortcut>>({
    defaultValues: {
      label: shortcut?.label ?? "",
      description: shortcut?.description ?? "",
      icon: shortcut?.icon ?? "star",
      link: shortcut?.link ?? "",
      useRouter: shortcut?.useRouter ?? true,
    },
  });
  const { errors, isValid } = form.formState;
  const icon = form.watch("icon");
  const { setValue } = form;
  const choose = useCallback((name: string) => setValue("icon", name, { shouldDirty: true, shouldValidate: true }), [setValue]);

  const submit = form.handleSubmit(({ description, ...values }) =>
    save.mutate(
      { id: shortcut?.id, shortcut: { ...values, ...((description || shortcut?.description) && { description }) } },
      { onSuccess: onSaved },
    ),
  );

  return (
    <form onSubmit={submit} noValidate className="grid gap-4 p-4.5">
      {save.error && <Alert kind="error">{errorText(save.error)}</Alert>}
      <TextField
        label={t("ui.shortcuts.label")}
        required
        autoFocus
        maxLength={100}
        error={errors.label?.message ?? fieldError(save.error, "label")}
        {...form.register("label", { validate: (value) => value.trim() !== "" || t("ui.shortcuts.labelMissing") })}
      />
      <TextField label={t("ui.shortcuts.description")} maxLength={200} {...form.register("description")} />
      <IconPicker value={icon} onChange={choose} />
      <TextField
        label={t("ui.shortcuts.link")}
        required
        inputMode="url"
        spellCheck={false}
        autoCapitalize="none"
        error={errors.link?.message ?? fieldError(save.error, "link")}
        {...form.register("link", {
          deps: ["useRouter"],
          validate: (value, values) => {
            const link = value.trim();
            if (values.useRouter) return isInAppPath(link) || t("ui.shortcuts.linkNotPath");
            return isSafeLink(link) || t("ui.shortcuts.linkInvalid");
          },
          setValueAs: (value: string) => value.trim(),
        })}
      />
      <Switch {...form.register("useRouter", { deps: ["link"] })}>{t("ui.shortcuts.useRouter")}</Switch>
      <div className="flex flex-wrap justify-end gap-2 pt-1">
        {shortcut && (
          <Button
            variant="danger-ghost"
            className="mr-auto"
            onClick={() => {
              remove(shortcut);
              onSaved();
            }}
          >
            {t("ui.shortcuts.delete")}
          </Button>
        )}
        <Button onClick={onCancel}>{t("ui.shortcuts.cancel")}</Button>
        <Button type="submit" variant="primary" disabled={!isValid} busy={save.isPending}>
          {shortcut ? t("ui.shortcuts.update") : t("ui.shortcuts.add")}
        </Button>
      </div>
    </form>
  );
}
