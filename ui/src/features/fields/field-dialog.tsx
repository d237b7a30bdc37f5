import { Plus, X } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { CustomField, CustomFieldType } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Dialog } from "@/components/dialog";
import { IconButton } from "@/components/icon-button";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { newId } from "@/lib/new-id";
import { type CreatedKind, createdKinds, recordKinds } from "@/records/kinds";
import { useFieldCalls } from "./data";

const types: CustomFieldType[] = [
  "text",
  "longText",
  "number",
  "money",
  "date",
  "choice",
  "choices",
  "checkbox",
  "url",
  "member",
  "record",
];

interface Choice {
  id: string;
  key?: string;
  name: string;
}

/** Defines a custom field, or changes one. Its type never changes. */
export function FieldDialog({ kind, field, onClose }: { kind: CreatedKind; field: CustomField | undefined; onClose: () => void }) {
  const { t } = useTranslation();
  const { create, change } = useFieldCalls();
  const [key] = useState(newId);
  const [name, setName] = useState(field?.name ?? "");
  const [type, setType] = useState<CustomFieldType>(field?.type ?? "text");
  const [target, setTarget] = useState<string>(field?.target ?? "customers");
  const [choices, setChoices] = useState<Choice[]>(field?.choices.map((one) => ({ id: one.key, ...one })) ?? [{ id: newId(), name: "" }]);
  const hasChoices = type === "choice" || type === "choices";
  const error = create.error ?? change.error;
  const kept = choices.filter((choice) => choice.name.trim() !== "");
  const named =
    ["name", "choices", "target"].some((path) => fieldError(error, path)) || kept.some((_, at) => fieldError(error, `choices.${at}.name`));
  const save = () => {
    const given = hasChoices ? { choices: kept.map(({ key: known, name: shown }) => ({ name: shown, ...(known && { key: known }) })) } : {};
    if (field) return change.mutate({ id: field.id, version: field.version, name, ...given }, { onSuccess: onClose });
    const draft = { key, kind: recordKinds[kind].name as CustomField["kind"], name, type, ...given };
    create.mutate({ ...draft, ...(type === "record" && { target }) } as Parameters<typeof create.mutate>[0], { onSuccess: onClose });
  };
  return (
    <Dialog
      title={field ? t("ui.fields.edit") : t("ui.fields.add")}
      isOpen
      onOpenChange={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="field" busy={create.isPending || change.isPending}>
            {t("ui.action.save")}
          </Button>
        </>
      }
    >
      <form
        id="field"
        className="grid grid-cols-1 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        {error && !named && <Alert kind="error">{errorText(error)}</Alert>}
        <TextField
          label={t("ui.fields.name")}
          value={name}
          maxLength={100}
          required
          error={fieldError(error, "name")}
          onChange={(event) => setName(event.target.value)}
        />
        <Select
          label={t("ui.fields.type")}
          value={type}
          isDisabled={field !== undefined}
          onChange={setType}
          options={types.map((value) => ({ value, label: t(`ui.fields.types.${value}`) }))}
        />
        {type === "record" && (
          <Select
            label={t("ui.fields.target")}
            value={target}
            isDisabled={field !== undefined}
            error={fieldError(error, "target")}
            onChange={setTarget}
            options={createdKinds.map((one) => ({ value: one.name as string, label: t(`navigation.${one.name}`) }))}
          />
        )}
        {hasChoices && (
          <fieldset>
            <legend className="mb-1.5 block text-sm font-medium text-gray-700">{t("ui.fields.choices")}</legend>
            <div className="grid grid-cols-1 gap-2">
              {choices.map((choice, at) => (
                <div key={choice.id} className="flex items-start gap-1">
                  <TextField
                    className="min-w-0 flex-1"
                    label={t("ui.fields.choice", { number: at + 1 })}
                    hideLabel
                    value={choice.name}
                    maxLength={100}
                    error={fieldError(error, `choices.${kept.indexOf(choice)}.name`)}
                    onChange={(event) =>
                      setChoices(choices.map((one) => (one.id === choice.id ? { ...one, name: event.target.value } : one)))
                    }
                  />
                  <IconButton
                    label={t("ui.action.removeNamed", { name: choice.name || String(at + 1) })}
                    icon={X}
                    onClick={() => setChoices(choices.filter((one) => one.id !== choice.id))}
                  />
                </div>
              ))}
            </div>
            {fieldError(error, "choices") && <p className="mt-1.5 text-sm text-bad">{fieldError(error, "choices")}</p>}
            <Button
              size="sm"
              variant="ghost"
              icon={Plus}
              className="mt-2"
              onClick={() => setChoices([...choices, { id: newId(), name: "" }])}
            >
              {t("ui.fields.addChoice")}
            </Button>
          </fieldset>
        )}
      </form>
    </Dialog>
  );
}
