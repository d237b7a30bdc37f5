import { useId } from "react";
import { useForm } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { NewShortcut, Shortcut } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Icon, iconNames } from "@/components/icon";
import { Switch } from "@/components/switch";
import { TextField } from "@/components/text-field";
import { cx } from "@/lib/cx";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { useDeleteShortcut, useSaveShortcut } from "./data";

export interface ShortcutFormProps {
  shortcut: Shortcut | undefined;
  onCancel: () => void;
  onSaved: () => void;
}

/** Makes a shortcut, or changes the one given. */
export function ShortcutForm({ shortcut, onCancel, onSaved }: ShortcutFormProps) {
  const { t } = useTranslation();
  const icons = useId();
  const save = useSaveShortcut();
  const remove = useDeleteShortcut();
  const form = useForm<Required<NewShortcut>>({
    mode: "onTouched",
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
  const choices = icon && !(iconNames as readonly string[]).includes(icon) ? [icon, ...iconNames] : iconNames;

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
      <fieldset className="min-w-0">
        <legend id={icons} className="mb-1.5 text-sm font-medium text-gray-700">
          {t("ui.shortcuts.icon")}
          <span aria-hidden className="text-bad">
            {" *"}
          </span>
        </legend>
        <div className="grid max-h-30 grid-cols-8 gap-1 overflow-y-auto rounded-control border border-line-strong p-1.5">
          {choices.map((name) => (
            <label
              key={name}
              className={cx(
                "relative grid aspect-square place-items-center rounded-lg text-soft hover:bg-hover has-checked:bg-tint has-checked:text-on-tint has-focus-visible:outline-2 has-focus-visible:outline-primary",
              )}
            >
              <input
                type="radio"
                value={name}
                aria-label={name}
                className="absolute inset-0 m-0 appearance-none opacity-0"
                {...form.register("icon", { required: true })}
              />
              <Icon name={name} size={18} />
            </label>
          ))}
        </div>
      </fieldset>
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
              remove.mutate(shortcut.id);
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
