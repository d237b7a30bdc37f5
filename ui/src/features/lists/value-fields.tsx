import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Avatar } from "@/components/avatar";
import { CheckList } from "@/components/check-list";
import { ColourDot } from "@/components/colour-dot";
import { DateField } from "@/components/date-field";
import { RecordSelect } from "@/components/record-select";
import { Segmented } from "@/components/segmented";
import { Tag } from "@/components/tag";
import { TextField } from "@/components/text-field";
import { useUser } from "@/features/account/data";
import { amountText, digitsOf } from "@/features/fields/money";
import { readMoney } from "@/features/fields/read-money";
import { useMembers } from "@/features/team/data";
import { numberText, parseNumber } from "@/lib/numbers";
import { region } from "@/lib/region";
import { addDays, isoDay } from "@/lib/zone";
import type { ColumnChoice, ColumnInfo } from "@/records/list/columns";
import { type Condition, daysFromToday } from "@/records/list/conditions";
import { hasValues } from "@/records/list/filters";
import { parseMoney } from "./money-value";
import { useValueText } from "./use-condition-text";

export interface ValueFieldsProps {
  column: ColumnInfo;
  condition: Condition;
  /** `isTyped` while a text is typed, which changes with every key. */
  onChange: (values: string[], isTyped?: boolean) => void;
}

interface OneValueProps {
  label: string;
  value: string | undefined;
  /** "" while what is typed is no value. */
  onChange: (value: string) => void;
}

/** A number in the language's form; `write` and `read` convert from and to the value. */
function NumberValue({
  label,
  value,
  onChange,
  read,
  write,
}: OneValueProps & { read: (value: string) => string; write: (text: string) => string | undefined }) {
  const { t } = useTranslation();
  const [text, setText] = useState(value ? read(value) : "");
  const [left, setLeft] = useState(false);
  return (
    <TextField
      label={label}
      inputMode="decimal"
      autoComplete="off"
      value={text}
      error={left && text.trim() !== "" && write(text) === undefined ? t("ui.fields.notANumber") : undefined}
      onBlur={() => setLeft(true)}
      onChange={(event) => {
        setText(event.target.value);
        setLeft(false);
        onChange(write(event.target.value) ?? "");
      }}
    />
  );
}

/** Returns what writes a typed number, if it is one that is taken. */
const numberWriter = (isTaken: (number: number) => boolean) => (text: string) => {
  const number = parseNumber(text);
  return number !== undefined && isTaken(number) ? String(number) : undefined;
};
const anyNumber = { read: (value: string) => numberText(Number(value)), write: numberWriter(() => true) };
const wholeNumber = { read: anyNumber.read, write: numberWriter(Number.isInteger) };

/** One or two amounts in a currency, or the currency alone. */
function MoneyFields({ condition: { mode, values }, onChange, labels }: ValueFieldsProps & { labels: string[] }) {
  const { t } = useTranslation();
  const [currency, setCurrency] = useState(parseMoney(values[0]).currency || region().currency);
  const withAmount = mode !== "is" && mode !== "not";
  const inCurrency = (code: string) =>
    labels.map((_, at) => {
      const { currency: before, amount } = parseMoney(values[at]);
      return amount === undefined ? "" : `${code} ${Math.round((amount / 10 ** digitsOf(before)) * 10 ** digitsOf(code))}`;
    });
  return (
    <div className="grid grid-cols-[1fr_5.5rem] items-start gap-2">
      <div className="grid grid-cols-1 gap-3">
        {withAmount &&
          labels.map((label, at) => (
            <NumberValue
              key={label}
              label={label}
              value={values[at]}
              read={(value) => {
                const { currency: code, amount } = parseMoney(value);
                return amount === undefined ? "" : amountText({ currency: code, amount });
              }}
              write={(text) => {
                const money = readMoney(text, currency);
                return typeof money === "string" || money.currency !== currency ? undefined : `${currency} ${money.amount}`;
              }}
              onChange={(value) =>
                onChange(
                  labels.map((_, other) => (other === at ? value : (values[other] ?? ""))),
                  true,
                )
              }
            />
          ))}
      </div>
      <TextField
        label={t("ui.fields.currency")}
        className={withAmount ? undefined : "col-span-full"}
        maxLength={3}
        autoComplete="off"
        value={currency}
        onChange={(event) => {
          const code = event.target.value.trim().toUpperCase();
          setCurrency(code);
          onChange(withAmount ? inCurrency(code) : [code], true);
        }}
      />
    </div>
  );
}

function MemberChoice({ column, condition: { values }, onChange }: ValueFieldsProps) {
  const { t } = useTranslation();
  const me = useUser();
  const { members, find } = useMembers();
  const former = values.filter((id) => id !== "me" && !members.some((member) => member.id === id)).flatMap((id) => find(id) ?? []);
  return (
    <CheckList
      label={column.label}
      value={values}
      onChange={onChange}
      options={[
        { value: "me", label: t("ui.list.filters.me"), icon: <Avatar name={me.name} src={me.avatar} size={24} /> },
        ...[...former, ...members].map(({ id, name, avatar }) => ({
          value: id,
          label: name,
          icon: <Avatar name={name} src={avatar} size={24} />,
        })),
      ]}
    />
  );
}

function RecordChoice({ column, condition: { values }, onChange }: ValueFieldsProps) {
  const { t } = useTranslation();
  const text = useValueText(column, values);
  const box = useRef<HTMLDivElement>(null);
  const count = useRef(values.length);
  // A chosen record replaces the field that had the focus; another Enter ends the editing.
  useEffect(() => {
    if (values.length > count.current) box.current?.closest("form")?.querySelector<HTMLElement>("[type=submit]")?.focus();
    count.current = values.length;
  }, [values.length]);
  return (
    <div ref={box}>
      {values.length > 0 && (
        <p className="mb-2 flex flex-wrap gap-1.5">
          {values.map((id) => (
            <Tag key={id} onRemove={() => onChange(values.filter((other) => other !== id))}>
              {text(id)}
            </Tag>
          ))}
        </p>
      )}
      {column.target && (
        <RecordSelect
          // A new one for the next record.
          key={values.length}
          kind={column.target}
          label={t("ui.list.filters.addRecord")}
          value={null}
          onChange={(id) => id && !values.includes(id) && onChange([...values, id])}
        />
      )}
    </div>
  );
}

/** Returns the chosen values that the company has removed, as choices with a name. */
const removedChoices = ({ choices = [], hasOwnChoices }: ColumnInfo, values: string[], name: string): ColumnChoice[] =>
  hasOwnChoices ? values.filter((value) => choices.every(({ key }) => key !== value)).map((key) => ({ key, name })) : [];

/** The fields for the values of a condition, by the type of the column. */
export function ValueFields(props: ValueFieldsProps) {
  const { t } = useTranslation();
  const { column, condition, onChange } = props;
  const { mode, values } = condition;
  if (!hasValues(mode) || mode === "today" || mode === "past") return null;
  const labels = mode === "between" ? [t("ui.list.filters.from"), t("ui.list.filters.to")] : [t("ui.list.filters.value")];
  const put = (at: number, value: string) => labels.map((_, other) => (other === at ? value : (values[other] ?? "")));
  if (mode === "next" || mode === "last") {
    return (
      <NumberValue
        key={mode}
        label={t("ui.list.filters.days")}
        value={values[0]}
        onChange={(value) => onChange([value], true)}
        {...wholeNumber}
      />
    );
  }
  switch (column.type) {
    case "choice":
    case "choices":
    case "import":
    case "tags":
      return (
        <CheckList
          label={column.label}
          free={column.type === "tags"}
          value={values}
          onChange={onChange}
          options={[...removedChoices(column, values, t("ui.list.filters.removedChoice")), ...(column.choices ?? [])].map(
            ({ key, name, color }) => ({
              value: key,
              label: name,
              ...(color && { icon: <ColourDot colour={color} /> }),
            }),
          )}
        />
      );
    case "member":
      return <MemberChoice {...props} />;
    case "record":
      return <RecordChoice {...props} />;
    case "checkbox":
      return (
        <Segmented
          label={column.label}
          value={values[0] ?? ""}
          onChange={(value) => onChange([value])}
          options={[
            { value: "true", label: t("ui.timeline.yes") },
            { value: "false", label: t("ui.timeline.no") },
          ]}
        />
      );
    case "money":
      return <MoneyFields key={mode} labels={labels} {...props} />;
    case "number":
      return (
        <div className="grid grid-cols-1 gap-3">
          {labels.map((label, at) => (
            <NumberValue key={label} label={label} value={values[at]} onChange={(value) => onChange(put(at, value), true)} {...anyNumber} />
          ))}
        </div>
      );
    case "date":
    case "time":
      return (
        <div className="grid grid-cols-1 gap-3">
          {labels.map((label, at) => {
            const days = daysFromToday(values[at] ?? "");
            const day = days === undefined ? values[at] : addDays(isoDay(), days);
            return <DateField key={label} label={label} value={day || null} onChange={(value) => onChange(put(at, value ?? ""))} />;
          })}
        </div>
      );
    default:
      return (
        <TextField
          label={labels[0] ?? ""}
          autoComplete="off"
          value={values[0] ?? ""}
          onChange={(event) => onChange([event.target.value], true)}
        />
      );
  }
}
