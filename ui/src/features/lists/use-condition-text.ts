import { useQueries } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { isMoney, moneyText } from "@/features/fields/money";
import { useMembers } from "@/features/team/data";
import { mediumDate, plainNumber, relativeDay } from "@/lib/format";
import type { ColumnInfo } from "@/records/list/columns";
import { type Condition, daysFromToday, isDateType, type Mode } from "@/records/list/conditions";
import { titleQuery } from "@/records/record-titles";
import { parseMoney } from "./money-value";

const dayModes = { is: "on", not: "notOn", gte: "from", lte: "until" } as const;

/** Returns the name of a mode in the texts: a day is on, from or until another. */
export function modeName(mode: Mode, { type }: ColumnInfo) {
  const name: Mode | (typeof dayModes)[keyof typeof dayModes] = mode;
  return isDateType(type) && mode in dayModes ? dayModes[mode as keyof typeof dayModes] : name;
}

/** Returns the titles of the records that a condition names, by id. */
function useTitles({ type, target }: ColumnInfo, ids: string[]): (id: string) => string | undefined {
  const titles = useQueries({ queries: type === "record" && target ? ids.map((id) => titleQuery(target, id)) : [] });
  return (id) => titles[ids.indexOf(id)]?.data;
}

/** Returns a function that shows a value of a column in words. */
export function useValueText(column: ColumnInfo, values: string[]): (value: string) => string {
  const { t } = useTranslation();
  const { find } = useMembers();
  const title = useTitles(column, values);
  return (value) => {
    switch (column.type) {
      case "choice":
      case "choices":
      case "import":
        return (
          column.choices?.find(({ key }) => key === value)?.name ?? (column.choices?.length ? t("ui.list.filters.removedChoice") : "…")
        );
      case "member":
        return value === "me" ? t("ui.list.filters.me") : (find(value)?.name ?? "…");
      case "record":
        return title(value) ?? "…";
      case "checkbox":
        return value === "true" ? t("ui.timeline.yes") : t("ui.timeline.no");
      case "number":
        return plainNumber(Number(value));
      case "money": {
        const money = parseMoney(value);
        return isMoney(money) ? moneyText(money) : value;
      }
      case "date":
      case "time": {
        const days = daysFromToday(value);
        return days === undefined ? mediumDate(value) : relativeDay(days);
      }
      default:
        return value;
    }
  };
}

/** Returns a condition in words: "Status is Lead, Active". */
export function useConditionText(column: ColumnInfo, { mode, values }: Condition): string {
  const { t } = useTranslation();
  const text = useValueText(column, values);
  const label = column.label;
  if (mode === "next" || mode === "last") return t(`ui.list.conditions.${mode}`, { label, count: Number(values[0]) });
  const [first = "", second = ""] = values;
  const value = mode === "between" ? text(first) : values.map(text).join(", ");
  return t(`ui.list.conditions.${modeName(mode, column)}`, { label, value, to: second && text(second) });
}
