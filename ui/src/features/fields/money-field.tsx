import { type FocusEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Field, fieldAttributes, inputClass, type ParsedFieldProps } from "@/components/field";
import { region } from "@/lib/region";
import { useParsedText } from "@/lib/use-parsed-text";
import { amountText, digitsOf, type Money } from "./money";
import { readMoney } from "./read-money";

export interface MoneyFieldProps extends Omit<ParsedFieldProps<Money | null>, "hint" | "className"> {
  /** Receives that the focus left both inputs. */
  onLeave?: () => void;
}

/**
 * An amount of money, typed with or without its currency, and its currency; null for none. One from before that is negative stays
 * until it is typed again.
 */
export function MoneyField({ label, error, hideLabel, value, onChange, onWrong, onLeave, ref }: MoneyFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  /** The currency that is chosen before there is an amount. */
  const [chosen, setChosen] = useState(region().currency);
  const currency = value?.currency ?? chosen;
  const wrong = useRef({ amount: false, currency: false });
  const report = (part: "amount" | "currency") => (isWrong: boolean) => {
    wrong.current[part] = isWrong;
    onWrong?.(wrong.current.amount || wrong.current.currency);
  };
  const amount = useParsedText<Money | null>({
    value,
    empty: null,
    parse: (text) => {
      const money = readMoney(text, currency);
      return typeof money === "string" || money.amount < 0 ? undefined : money;
    },
    onChange,
    onWrong: report("amount"),
  });
  const code = useParsedText({
    value: currency,
    empty: currency,
    parse: (text) => (/^[a-z]{3}$/i.test(text.trim()) ? text.trim().toUpperCase() : undefined),
    onChange: (next) => {
      setChosen(next);
      if (value) onChange({ amount: Math.round((value.amount / 10 ** digitsOf(value.currency)) * 10 ** digitsOf(next)), currency: next });
    },
    onWrong: report("currency"),
  });
  const typed = readMoney(amount.typed ?? "", currency);
  const amountNote = typeof typed === "string" ? t(`ui.fields.${typed}`, { currency }) : t("ui.fields.notNegative");
  const note = error ?? (amount.wrong ? amountNote : code.wrong ? t("ui.fields.notACurrency") : undefined);
  const leave = ({ relatedTarget, currentTarget }: FocusEvent) => {
    if (!currentTarget.contains(relatedTarget)) onLeave?.();
  };
  const inputOf = (part: typeof amount | typeof code, shown: string) => ({
    autoComplete: "off",
    value: part.typed ?? shown,
    onChange: (event: { target: { value: string } }) => part.type(event.target.value),
    onBlur: part.leave,
    onKeyDown: (event: { key: string }) => event.key === "Enter" && part.leave(),
  });
  return (
    <Field id={id} label={label} error={note} {...(hideLabel && { hideLabel })}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: leaving belongs to the inputs inside */}
      <div className="grid grid-cols-[minmax(0,1fr)_5rem] items-start gap-2" onBlur={leave}>
        <input
          ref={ref}
          {...fieldAttributes(id, { hint: undefined, error: note })}
          inputMode="decimal"
          className={inputClass}
          {...inputOf(amount, value ? amountText(value) : "")}
        />
        <input
          aria-label={t("ui.fields.currency")}
          aria-invalid={code.wrong || undefined}
          maxLength={3}
          spellCheck={false}
          autoCapitalize="characters"
          className={inputClass}
          {...inputOf(code, currency)}
        />
      </div>
    </Field>
  );
}
