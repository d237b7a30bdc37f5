import { Plus, X } from "lucide-react";
import { useFieldArray } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { Select } from "@/components/select";
import { TextField } from "@/components/text-field";
import { FormInput } from "@/features/records/form-input";
import type { RecordFormState } from "@/features/records/use-record-form";
import { countries } from "@/lib/countries";
import type { CreatedKind } from "@/records/kinds";
import type { ContactValues } from "./contact-values";

type ContactFormState = RecordFormState<CreatedKind, ContactValues>;

const address = /^\S+@\S+\.\S+$/;

interface LabelFieldProps {
  form: ContactFormState;
  of: "emails" | "phoneNumbers";
  at: number;
  className: string;
}

/** The label of an address or number: private, at work. */
function LabelField({ form, of, at, className }: LabelFieldProps) {
  const { t } = useTranslation();
  return (
    <TextField
      label={t("ui.customers.labelOf", { number: at + 1 })}
      hideLabel
      autoComplete="off"
      className={className}
      placeholder={t("ui.customers.labelPlaceholder")}
      {...form.registerText(`${of}.${at}.label`)}
    />
  );
}

/** Adds a row. */
function AddButton({ label, onAdd }: { label: string; onAdd: () => void }) {
  return (
    <Button size="sm" variant="ghost" icon={Plus} className="-ml-2.75 justify-self-start" onClick={onAdd}>
      {label}
    </Button>
  );
}

export interface ContactFieldsProps<K extends CreatedKind, V extends ContactValues> {
  form: RecordFormState<K, V>;
  /** The default country of a new number. */
  home: string;
}

/** The e-mail addresses and phone numbers of a record. */
export function ContactFields<K extends CreatedKind, V extends ContactValues>(props: ContactFieldsProps<K, V>) {
  const { home } = props;
  const { t } = useTranslation();
  // A form with more fields has these, too.
  const form = props.form as unknown as ContactFormState;
  const { control, registerText } = form;
  const emails = useFieldArray({ control, name: "emails" });
  const phones = useFieldArray({ control, name: "phoneNumbers" });
  const choices = countries();
  return (
    <>
      <fieldset className="grid grid-cols-1 gap-3">
        <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.emails")}</legend>
        {emails.fields.map((row, at) => (
          <div key={row.id} className="flex flex-wrap items-start gap-2">
            <TextField
              label={t("ui.customers.emailAt", { number: at + 1 })}
              hideLabel
              type="email"
              inputMode="email"
              autoComplete="off"
              className="w-full sm:w-auto sm:flex-[3]"
              placeholder={t("ui.customers.emailPlaceholder")}
              {...registerText(`emails.${at}.email`, {
                validate: (text) => (text.trim() && !address.test(text.trim()) ? t("ui.form.email") : undefined),
              })}
            />
            <LabelField form={form} of="emails" at={at} className="min-w-20 flex-[1.4]" />
            <IconButton label={t("ui.customers.removeEmail", { number: at + 1 })} icon={X} onClick={() => emails.remove(at)} />
          </div>
        ))}
        <AddButton label={t("ui.customers.addEmail")} onAdd={() => emails.append({ email: "", label: "" })} />
      </fieldset>
      <fieldset className="grid grid-cols-1 gap-3">
        <legend className="mb-1.5 text-sm font-medium text-gray-700">{t("ui.customers.phones")}</legend>
        {phones.fields.map((row, at) => (
          <div key={row.id} className="flex flex-wrap items-start gap-2">
            <FormInput form={form} name={`phoneNumbers.${at}.country`}>
              {({ value, ...input }) => (
                <Select
                  label={t("ui.customers.countryOf", { number: at + 1 })}
                  hideLabel
                  className="w-full sm:w-44"
                  value={value ? value.toUpperCase() : null}
                  placeholder={t("ui.customers.country")}
                  {...input}
                  options={choices}
                />
              )}
            </FormInput>
            <TextField
              label={t("ui.customers.phoneAt", { number: at + 1 })}
              hideLabel
              type="tel"
              inputMode="tel"
              autoComplete="off"
              className="min-w-32 flex-[2]"
              placeholder={t("ui.customers.phonePlaceholder")}
              {...registerText(`phoneNumbers.${at}.phoneNumber`)}
            />
            <LabelField form={form} of="phoneNumbers" at={at} className="min-w-20 flex-[1.2]" />
            <IconButton label={t("ui.customers.removePhone", { number: at + 1 })} icon={X} onClick={() => phones.remove(at)} />
          </div>
        ))}
        <AddButton label={t("ui.customers.addPhone")} onAdd={() => phones.append({ country: home, phoneNumber: "", label: "" })} />
      </fieldset>
    </>
  );
}
