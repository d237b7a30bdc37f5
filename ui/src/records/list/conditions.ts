/** The filters of a list as members choose them: "in the next 7 days" is two filters of the server. */
import { calendarDay, recordId } from "@/lib/search-params";
import type { ColumnInfo, ColumnType } from "./columns";
import { type Filter, formatFilter, type Operator, parseFilter } from "./filters";

export type Mode = Operator | "between" | "today" | "past" | "next" | "last";

export interface Condition {
  column: string;
  mode: Mode;
  /** The two ends of `between`, the number of days of `next` and `last`, else the values of the filter. */
  values: string[];
}

const words: Mode[] = ["contains", "is", "starts", "not", "set", "empty"];
const amounts: Mode[] = ["gte", "lte", "between", "is", "not", "set", "empty"];
const oneOfSeveral: Mode[] = ["is", "not", "set", "empty"];
const days: Mode[] = ["last", "today", "past", "is", "gte", "lte", "between", "not", "set", "empty"];

/** How a column of each type can be filtered, the most useful first. */
export const modesOf: Record<ColumnType, Mode[]> = {
  text: words,
  url: words,
  longText: ["set", "empty"],
  number: amounts,
  money: amounts,
  date: ["next", ...days],
  time: days,
  choice: oneOfSeveral,
  choices: oneOfSeveral,
  tags: oneOfSeveral,
  checkbox: ["is"],
  member: oneOfSeveral,
  record: oneOfSeveral,
  import: ["is"],
};

export const isDateType = (type: ColumnType) => type === "date" || type === "time";

/** Furthest days from today (`MAX_DAYS` of `src/features/records/lists/mod.rs`). */
const maxDays = 100_000;

/** Returns the days from today of a relative date such as `today-30`. */
export function daysFromToday(value: string): number | undefined {
  const days = /^today([+-]\d{1,6})?$/.exec(value);
  return days ? Number(days[1] ?? 0) : undefined;
}

const relativeDay = (days: number) => (days === 0 ? "today" : `today${days > 0 ? "+" : ""}${days}`);

const isCount = (value: string) => /^[1-9]\d{0,5}$/.test(value) && Number(value) <= maxDays;

function isValue({ type, choices, hasOwnChoices }: ColumnInfo, mode: Mode, value: string): boolean {
  if (mode === "next" || mode === "last") return isCount(value);
  switch (type) {
    case "number":
      return /^-?\d+(\.\d+)?$/.test(value);
    case "money":
      return (mode === "is" || mode === "not" ? /^[A-Z]{3}( -?\d+)?$/ : /^[A-Z]{3} -?\d+$/).test(value);
    case "date":
    case "time":
      return daysFromToday(value) !== undefined || calendarDay(value) !== undefined;
    case "choice":
    case "choices":
    case "import":
      // No record has a choice that was removed, so the server finds none by it.
      return hasOwnChoices || (choices?.some(({ key }) => key === value) ?? false);
    case "checkbox":
      return value === "true" || value === "false";
    case "member":
    case "record":
      return recordId(value) !== undefined;
    default:
      return value.trim() !== "";
  }
}

/** The number of values of a mode; others have one or several. */
export const valueCounts: Partial<Record<Mode, number>> = {
  gte: 1,
  lte: 1,
  between: 2,
  next: 1,
  last: 1,
  today: 0,
  past: 0,
  empty: 0,
  set: 0,
};

/** Whether a condition can be applied to a column. */
export function isComplete({ mode, values }: Condition, column: ColumnInfo): boolean {
  const count = column.type === "checkbox" ? 1 : valueCounts[mode];
  return (
    modesOf[column.type].includes(mode) &&
    (count === undefined ? values.length > 0 : values.length === count) &&
    values.every((value) => isValue(column, mode, value))
  );
}

/** Returns the filters of a condition. */
export function filtersOf({ column, mode, values }: Condition): string[] {
  const text = (operator: Operator, ...given: string[]) => formatFilter({ column, operator, values: given });
  const between = (from: string, to: string) => [text("gte", from), text("lte", to)];
  const [first = "", second = ""] = values;
  switch (mode) {
    case "between":
      return between(first, second);
    case "today":
      return [text("is", "today")];
    case "past":
      return [text("lte", "today-1")];
    case "next":
      return between("today", relativeDay(Number(first)));
    case "last":
      return between(relativeDay(-Number(first)), "today");
    default:
      return [text(mode, ...values)];
  }
}

/** Returns the words for a period that has some: `today+7` from today is the next 7 days. */
function named(condition: Condition): Condition {
  const { column, mode, values } = condition;
  const [from, to] = values.map(daysFromToday);
  if (mode === "is" && values.length === 1 && from === 0) return { column, mode: "today", values: [] };
  if (mode === "lte" && from === -1) return { column, mode: "past", values: [] };
  if (mode !== "between" || from === undefined || to === undefined) return condition;
  if (from === 0 && to > 0) return { column, mode: "next", values: [String(to)] };
  if (to === 0 && from < 0) return { column, mode: "last", values: [String(-from)] };
  return condition;
}

/** One or two filters of a list that members see as one. */
export interface FilterEntry {
  /** The filters as the address has them. */
  texts: string[];
  /** Undefined if they cannot be applied: a column or an import that is gone, or a mistake in a link. */
  condition: Condition | undefined;
}

/** Reads the filters of a list. A lower end that the upper end follows becomes one entry with it. */
export function readFilters(texts: string[], columns: ColumnInfo[]): FilterEntry[] {
  const entries: FilterEntry[] = [];
  const columnOf = (filter: Filter | undefined) => columns.find(({ id }) => id === filter?.column);
  for (const text of texts) {
    const filter = parseFilter(text);
    const column = columnOf(filter);
    const condition = filter && column && { column: column.id, mode: filter.operator, values: filter.values };
    if (!condition || !isComplete(condition, column)) {
      entries.push({ texts: [text], condition: undefined });
      continue;
    }
    const last = entries.at(-1);
    const isUpperEnd = condition.mode === "lte" && last?.condition?.mode === "gte" && last.condition.column === column.id;
    if (isUpperEnd && last?.condition) {
      last.condition = { column: column.id, mode: "between", values: [...last.condition.values, ...condition.values] };
      last.texts.push(text);
    } else entries.push({ texts: [text], condition });
  }
  return entries.map((entry) => {
    const column = columns.find(({ id }) => id === entry.condition?.column);
    return entry.condition && column && isDateType(column.type) ? { ...entry, condition: named(entry.condition) } : entry;
  });
}

/** Whether two lists have the same filters, in whatever order. */
export function sameFilters(a: string[], b: string[]): boolean {
  const plain = (texts: string[]) =>
    JSON.stringify(
      texts
        .map((text) => {
          const filter = parseFilter(text);
          return filter ? formatFilter({ ...filter, values: filter.values.toSorted() }) : text;
        })
        .toSorted(),
    );
  return plain(a) === plain(b);
}
