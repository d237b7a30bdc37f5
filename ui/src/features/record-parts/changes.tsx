import { useTranslation } from "react-i18next";
import type { FieldChange, TimelineEntry } from "@/api/schema";
import { useFieldOf } from "@/features/fields/data";
import { isMoney, moneyText, numberText } from "@/features/fields/money";
import { useMembers } from "@/features/team/data";
import { formatDate, mediumDate, shortTime } from "@/lib/format";
import type { Field } from "@/records/fields";
import type { TimelineKind } from "./data";

const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one) => typeof one === "string") : []);

/** Returns the times of an event in words, from the form in which they are stored. */
function timesText(value: unknown): string | undefined {
  const timed = property(value, "timed");
  const days = property(value, "all_day");
  const [from, to] = timed
    ? [property(timed, "start"), property(timed, "end")]
    : [property(days, "start_date"), property(days, "end_date")];
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  if (!timed) return from === to ? mediumDate(from) : `${mediumDate(from)} – ${mediumDate(to)}`;
  const sameDay = mediumDate(from) === mediumDate(to);
  return `${mediumDate(from)}, ${shortTime(from)} – ${sameDay ? shortTime(to) : `${mediumDate(to)}, ${shortTime(to)}`}`;
}

/** Returns a function that shows the value of a field in words; undefined when there is nothing to show. */
function useValueText(records: TimelineEntry["records"]) {
  const { t } = useTranslation();
  const { find } = useMembers();
  return (field: Field, value: unknown): string | undefined => {
    if (value === undefined || value === null) return undefined;
    switch (field.type) {
      case "text":
        return typeof value === "string" ? value : undefined;
      case "day":
        return typeof value === "string" ? formatDate(value, { dateStyle: "medium" }) : undefined;
      case "member":
        return find(String(value))?.name;
      case "record":
        return records.find(({ recordId }) => recordId === value)?.card?.title;
      case "tags":
        return texts(value).join(", ");
      case "yesNo":
        return value === true ? t("ui.timeline.yes") : t("ui.timeline.no");
      case "choice": {
        const text = field.texts[String(value)];
        return text && String(t(text));
      }
      case "items":
        return Array.isArray(value) ? texts(value.map((one) => property(one, field.shown))).join(", ") : undefined;
      case "named":
        return [value]
          .flat()
          .flatMap((one) => field.names[String(one)] ?? [])
          .join(", ");
      case "number":
        return typeof value === "number" ? numberText(value) : undefined;
      case "money":
        return isMoney(value) ? moneyText(value) : undefined;
      case "times":
        return timesText(value);
      case "long":
        return undefined;
    }
  };
}

function useLabel(): (field: Field) => string {
  const { t } = useTranslation();
  return (field) => ("name" in field ? field.name : String(t(field.label)));
}

/** The names of the changed fields, each once. */
export function useFieldNames(kind: TimelineKind): (changes: FieldChange[]) => string[] {
  const label = useLabel();
  const fieldOf = useFieldOf(kind);
  return (changes) => {
    const names = changes.flatMap(({ field }) => {
      const known = fieldOf(field);
      return known ? [label(known)] : [];
    });
    return [...new Set(names)];
  };
}

/** The values of the changed fields before and after, where they fit on a line. */
export function Changes({ kind, changes, records }: { kind: TimelineKind } & Pick<TimelineEntry, "changes" | "records">) {
  const label = useLabel();
  const fieldOf = useFieldOf(kind);
  const text = useValueText(records);
  const lines = changes.flatMap((change) => {
    const field = fieldOf(change.field);
    if (!field || change.long) return [];
    const [from, to] = [text(field, change.from), text(field, change.to)];
    return from || to ? [{ name: change.field, label: label(field), from, to }] : [];
  });
  if (lines.length === 0) return null;
  return (
    <ul className="mt-1 grid grid-cols-1 gap-0.5 text-sm">
      {lines.map(({ name, label, from, to }) => (
        <li key={name} dir="auto" className="line-clamp-3 whitespace-pre-line [overflow-wrap:anywhere]">
          {lines.length > 1 && <span className="text-muted">{`${label}: `}</span>}
          {from && <del className="text-muted">{from}</del>}
          {from && to && <span className="text-muted">{" → "}</span>}
          {to && <ins className="text-body no-underline">{to}</ins>}
        </li>
      ))}
    </ul>
  );
}
