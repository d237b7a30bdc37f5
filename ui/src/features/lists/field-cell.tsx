import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CustomField, FieldValues } from "@/api/schema";
import { TextCell } from "@/components/cells";
import { RecordTitle } from "@/components/record-title";
import { TagList } from "@/components/tag-list";
import { isMoney } from "@/features/fields/money";
import { MoneyCell } from "@/features/fields/money-cell";
import { Person } from "@/features/team/person";
import { mediumDate, plainNumber } from "@/lib/format";
import { isSafeLink } from "@/lib/links";
import { kindAt } from "@/records/kinds";
import type { ListColumn } from "@/records/list/columns";

/** The value of a custom field in a row. */
function FieldCell({ field, value }: { field: CustomField; value: unknown }) {
  const { t } = useTranslation();
  if (value === undefined || value === null) return null;
  const text = String(value);
  switch (field.type) {
    case "text":
    case "longText":
      return <TextCell text={text} />;
    case "url":
      return isSafeLink(text) ? (
        <a href={text} target="_blank" rel="noopener noreferrer" title={text} className="block truncate hover:underline">
          {text}
        </a>
      ) : (
        text
      );
    case "number":
      return typeof value === "number" && plainNumber(value);
    case "money":
      return isMoney(value) && <MoneyCell money={value} column={`fields.${field.key}`} />;
    case "date":
      return mediumDate(text);
    case "choice":
    case "choices":
      return <TagList tags={[value].flat().flatMap((key) => field.choices.find((choice) => choice.key === key)?.name ?? [])} />;
    case "checkbox":
      return value === true && <Check role="img" aria-label={t("ui.timeline.yes")} size={16} />;
    case "member":
      return <Person id={text} />;
    case "record": {
      const kind = kindAt(field.target);
      return kind && <RecordTitle kind={kind} id={text} />;
    }
  }
}

const classes: Partial<Record<CustomField["type"], string>> = {
  number: "text-right whitespace-nowrap",
  money: "text-right whitespace-nowrap",
  date: "whitespace-nowrap",
};

/** Returns the column of a custom field. */
export function fieldColumn<T extends { fields: FieldValues }>(field: CustomField): ListColumn<T> {
  return {
    id: `fields.${field.key}`,
    label: field.name,
    type: field.type,
    choices: field.choices,
    hasOwnChoices: true,
    target: kindAt(field.target),
    className: classes[field.type] ?? "max-w-60",
    cell: (record) => <FieldCell field={field} value={record.fields[field.key]} />,
  };
}
