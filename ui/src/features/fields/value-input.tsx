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
import { numberText, parseNumber } from "@/lib/numbers";
import { region } from "@/lib/region";
import { kindAt } from "@/records/kinds";
import { amountText, digitsOf, isMoney } from "./money";
import { type MoneyFault, readMoney } from "./read-money";

export interface ValueInputProps {
  field: CustomField;
  value: unknown;
  error: string | undefined;
  disabled: boolean;
  /** Whether a choice cannot be cleared. */
  isRequired?: boolean;
  /** Whether nothing has been chosen yet, not even none. */
  isUnset?: boolean;
  /** Saves a value; null clears it. */
  onSave: (value: unknown) => void;
  /** Receives whether the typed text is not a value, and so was not saved. */
  onWrong?: (isWrong: boolean) => void;
}

const none = "";

/**
 * A text that is saved when the field is left, and by Enter where it has one line. It stays as it was typed if `onSave`
 * returns false, because it is not a value.
 */
function useTyped(value: string, onSave: (text: string) => unknown) {
  const [typed, setTyped] = useState<string>();
  const [refused, setRefused] = useState(false);
  const save = useEffectEvent(() => typed !== undefined && (typed !== value || refused) && onSave(typed));
  // A record that is closed loses nothing that was typed.
  useEffect(() => () => void save(), []);
  return {
    value: typed ?? value,
    onChange: (event: { target: { value: string } }) => setTyped(event.target.value),
    onBlur: () => {
      if (typed === undefined) return;
      const isRefused = (typed !== value || refused) && onSave(typed) === false;
      setRefused(isRefused);
      if (!isRefused) setTyped(undefined);
    },
  };
}

const byEnter = { onKeyDown: (event: React.KeyboardEvent<HTMLInputElement>) => event.key === "Enter" && event.currentTarget.blur() };

/** Returns what saves a typed number, and whether the last text was none. */
function useTypedNumber(onNumber: (number: number) => void, { onSave, onWrong }: ValueInputProps) {
  const [wrong, setWrong] = useState(false);
  const save = (text: string) => {
    const number = parseNumber(text);
    const isWrong = number === undefined && text.trim() !== "";
    setWrong(isWrong);
    onWrong?.(isWrong);
    if (isWrong) return false;
    return number === undefined ? onSave(null) : onNumber(number);
  };
  return [save, wrong] as const;
}

function MoneyInput({ field, value, error, disabled, onSave, onWrong }: ValueInputProps) {
  const { t } = useTranslation();
  const known = isMoney(value) ? value : undefined;
  /** The currency that is chosen before there is an amount. */
  const [chosen, setChosen] = useState(region().currency);
  const currency = known?.currency ?? chosen;
  const inCurrency = (code: string, number: number) => onSave({ amount: Math.round(number * 10 ** digitsOf(code)), currency: code });
  const [fault, setFault] = useState<MoneyFault>();
  const amount = useTyped(known ? amountText(known) : "", (text) => {
    const money = text.trim() === "" ? null : readMoney(text, currency);
    const isWrong = typeof money === "string";
    setFault(isWrong ? money : undefined);
    onWrong?.(isWrong);
    return isWrong ? false : onSave(money);
  });
  const code = useTyped(currency, (text) => {
    const upper = text.trim().toUpperCase();
    if (known) inCurrency(upper, known.amount / 10 ** digitsOf(known.currency));
    else setChosen(upper);
  });
  return (
    <div className="grid grid-cols-[1fr_5.5rem] items-start gap-2">
      <TextField
        label={field.name}
        inputMode="decimal"
        readOnly={disabled}
        error={fault ? t(`ui.fields.${fault}`, { currency }) : error}
        {...amount}
        {...byEnter}
      />
      <TextField label={t("ui.fields.currency")} maxLength={3} readOnly={disabled} {...code} {...byEnter} />
    </div>
  );
}

function NumberInput(props: ValueInputProps) {
  const { field, value, error, disabled, onSave } = props;
  const { t } = useTranslation();
  const [save, wrong] = useTypedNumber(onSave, props);
  const typed = useTyped(typeof value === "number" ? numberText(value) : "", save);
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
  const { field, value, error, disabled, isRequired, isUnset = false, onSave } = props;
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
      return <MoneyInput {...props} />;
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
          value={text ?? (isRequired || isUnset ? null : none)}
          placeholder={t("ui.fields.choose")}
          onChange={(key) => onSave(key === none ? null : key)}
          options={[
            ...(isRequired ? [] : [{ value: none, label: t("ui.fields.noValue") }]),
            ...field.choices.map(({ key, name }) => ({ value: key, label: name })),
          ]}
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
      return <MemberSelect {...common} isUnset={isUnset} error={error} value={text} onChange={onSave} />;
    case "record": {
      const kind = kindAt(field.target);
      return (
        kind && <RecordSelect {...common} placeholder={t("ui.fields.choose")} kind={kind} error={error} value={text} onChange={onSave} />
      );
    }
  }
}
