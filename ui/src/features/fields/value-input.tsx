import { ExternalLink } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { useTranslation } from "react-i18next";
import type { CustomField } from "@/api/schema";
import { Checkbox } from "@/components/checkbox";
import { DateField } from "@/components/date-field";
import { RecordSelect } from "@/components/record-select";
import { Select } from "@/components/select";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { MemberSelect } from "@/features/team/member-select";
import { isSafeLink } from "@/lib/links";
import { kindAt } from "@/records/kinds";
import { amountText, digitsOf, isMoney, numberText, parseNumber } from "./money";

export interface ValueInputProps {
  field: CustomField;
  value: unknown;
  error: string | undefined;
  disabled: boolean;
  /** Saves a value; null clears it. */
  onSave: (value: unknown) => void;
}

const none = "";

/** A text that is saved when the field is left, and by Enter where it has one line. */
function useTyped(value: string, onSave: (text: string) => void) {
  const [typed, setTyped] = useState<string>();
  const save = useEffectEvent(() => {
    if (typed !== undefined && typed !== value) onSave(typed);
  });
  // A record that is closed loses nothing that was typed.
  useEffect(() => () => save(), []);
  return {
    value: typed ?? value,
    onChange: (event: { target: { value: string } }) => setTyped(event.target.value),
    onBlur: () => {
      if (typed !== undefined && typed !== value) onSave(typed);
      setTyped(undefined);
    },
  };
}

const byEnter = { onKeyDown: (event: React.KeyboardEvent<HTMLInputElement>) => event.key === "Enter" && event.currentTarget.blur() };

function MoneyInput({ field, value, error, disabled, onSave }: ValueInputProps) {
  const { t } = useTranslation();
  const known = isMoney(value) ? value : undefined;
  const [currency, setCurrency] = useState(known?.currency ?? "EUR");
  const [wrong, setWrong] = useState(false);
  const save = (text: string, code: string) => {
    const number = parseNumber(text);
    setWrong(number === undefined && text.trim() !== "");
    if (number !== undefined) onSave({ amount: Math.round(number * 10 ** digitsOf(code)), currency: code });
    else if (text.trim() === "") onSave(null);
  };
  const shown = known ? amountText(known) : "";
  const amount = useTyped(shown, (text) => save(text, currency));
  const code = useTyped(currency, (text) => {
    const upper = text.trim().toUpperCase();
    setCurrency(upper);
    if (known) onSave({ amount: Math.round((known.amount / 10 ** digitsOf(known.currency)) * 10 ** digitsOf(upper)), currency: upper });
  });
  return (
    <div className="grid grid-cols-[1fr_5.5rem] items-start gap-2">
      <TextField
        label={field.name}
        inputMode="decimal"
        readOnly={disabled}
        error={wrong ? t("ui.fields.notANumber") : error}
        {...amount}
        {...byEnter}
      />
      <TextField label={t("ui.fields.currency")} maxLength={3} readOnly={disabled} {...code} {...byEnter} />
    </div>
  );
}

function NumberInput({ field, value, error, disabled, onSave }: ValueInputProps) {
  const { t } = useTranslation();
  const [wrong, setWrong] = useState(false);
  const typed = useTyped(typeof value === "number" ? numberText(value) : "", (text) => {
    const number = parseNumber(text);
    setWrong(number === undefined && text.trim() !== "");
    if (number !== undefined) onSave(number);
    else if (text.trim() === "") onSave(null);
  });
  return (
    <TextField
      label={field.name}
      inputMode="decimal"
      readOnly={disabled}
      error={wrong ? t("ui.fields.notANumber") : error}
      {...typed}
      {...byEnter}
    />
  );
}

function TextInput({ field, value, error, disabled, onSave }: ValueInputProps) {
  const { t } = useTranslation();
  const typed = useTyped(typeof value === "string" ? value : "", (text) => onSave(text.trim() === "" ? null : text));
  if (field.type === "longText") return <TextArea label={field.name} readOnly={disabled} error={error} {...typed} />;
  if (field.type === "text") return <TextField label={field.name} readOnly={disabled} error={error} {...typed} {...byEnter} />;
  const address = typeof value === "string" && isSafeLink(value) ? value : undefined;
  return (
    <div className="flex items-start gap-1">
      <TextField className="min-w-0 flex-1" label={field.name} inputMode="url" readOnly={disabled} error={error} {...typed} {...byEnter} />
      {address && !error && (
        <a
          href={address}
          target="_blank"
          rel="noopener noreferrer"
          aria-label={t("ui.fields.open", { name: field.name })}
          className="mt-6.5 grid size-10.5 shrink-0 place-items-center rounded-control text-soft hover:bg-hover hover:text-ink"
        >
          <ExternalLink aria-hidden size={18} />
        </a>
      )}
    </div>
  );
}

/** The input for a value of a custom field, by the field's type. Each change is saved. */
export function ValueInput(props: ValueInputProps) {
  const { t } = useTranslation();
  const { field, value, error, disabled, onSave } = props;
  const text = typeof value === "string" ? value : undefined;
  const common = { label: field.name, isDisabled: disabled };
  switch (field.type) {
    case "text":
    case "longText":
    case "url":
      return <TextInput {...props} />;
    case "number":
      return <NumberInput {...props} />;
    case "money":
      return <MoneyInput key={isMoney(value) ? value.currency : none} {...props} />;
    case "date":
      return <DateField label={field.name} value={text ?? null} onChange={onSave} error={error} disabled={disabled} />;
    case "checkbox":
      return (
        <Checkbox checked={value === true} disabled={disabled} onChange={(event) => onSave(event.target.checked)}>
          {field.name}
        </Checkbox>
      );
    case "choice":
      return (
        <Select
          {...common}
          error={error}
          value={text ?? none}
          onChange={(key) => onSave(key === none ? null : key)}
          options={[{ value: none, label: t("ui.list.none") }, ...field.choices.map(({ key, name }) => ({ value: key, label: name }))]}
        />
      );
    case "choices": {
      const chosen = Array.isArray(value) ? value : [];
      return (
        <fieldset disabled={disabled}>
          <legend className="mb-1.5 block text-sm font-medium text-gray-700">{field.name}</legend>
          <div className="flex flex-wrap gap-x-5 gap-y-2">
            {field.choices.map(({ key, name }) => (
              <Checkbox
                key={key}
                checked={chosen.includes(key)}
                onChange={(event) => onSave(event.target.checked ? [...chosen, key] : chosen.filter((one) => one !== key))}
              >
                {name}
              </Checkbox>
            ))}
          </div>
          {error && <p className="mt-1.5 text-sm text-bad">{error}</p>}
        </fieldset>
      );
    }
    case "member":
      return <MemberSelect {...common} error={error} value={text} onChange={(id) => onSave(id ?? null)} />;
    case "record": {
      const kind = kindAt(field.target);
      return kind && <RecordSelect {...common} kind={kind} value={text} onChange={(id) => onSave(id ?? null)} />;
    }
  }
}
