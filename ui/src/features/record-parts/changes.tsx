import { useTranslation } from "react-i18next";
import type { FieldChange, TimelineEntry } from "@/api/schema";
import { useFieldOf } from "@/features/fields/data";
import { useFieldLabel, useFieldText } from "@/features/fields/field-text";
import type { TimelineKind } from "@/records/timelines";

/** Returns the changes without the name of an organization, which the change of the organization itself shows. */
function useOwnChanges(kind: TimelineKind): (changes: FieldChange[]) => FieldChange[] {
  const fieldOf = useFieldOf(kind);
  return (changes) =>
    changes.filter((change) => {
      const field = fieldOf(change.field);
      const link = field?.type === "company" ? changes.find((other) => other.field === field.link) : undefined;
      return !link || (!link.to && change.to);
    });
}

/** The names of the changed fields, each once. */
export function useFieldNames(kind: TimelineKind): (changes: FieldChange[]) => string[] {
  const { t } = useTranslation();
  const label = useFieldLabel();
  const fieldOf = useFieldOf(kind);
  const ownOf = useOwnChanges(kind);
  return (changes) => {
    const names = ownOf(changes).flatMap(({ field }) => {
      const known = fieldOf(field);
      return known ? [label(known)] : [];
    });
    return names.length > 0 ? [...new Set(names)] : [t("ui.timeline.deletedField")];
  };
}

export interface ChangesProps extends Pick<TimelineEntry, "changes" | "records"> {
  kind: TimelineKind;
  /** Names each field, because the sentence above names none. */
  isNamed: boolean;
}

/** The values of the changed fields before and after, where they fit on a line. */
export function Changes({ kind, changes, records, isNamed }: ChangesProps) {
  const { t } = useTranslation();
  const label = useFieldLabel();
  const fieldOf = useFieldOf(kind);
  const ownOf = useOwnChanges(kind);
  const text = useFieldText((id) => records.find(({ recordId }) => recordId === id)?.card?.title);
  const lines = ownOf(changes).flatMap((change) => {
    const field = fieldOf(change.field);
    if (!field) return [];
    if (change.long) return isNamed ? [{ name: change.field, label: label(field), from: "", to: t("ui.timeline.longText") }] : [];
    const [from, to] = [text(field, change.from), text(field, change.to)];
    return from || to ? [{ name: change.field, label: label(field), from, to }] : [];
  });
  if (lines.length === 0) return null;
  return (
    <ul className="mt-1 grid grid-cols-1 gap-0.5 text-sm">
      {lines.map(({ name, label, from, to }) => (
        <li key={name} dir="auto" className="line-clamp-3 whitespace-pre-line [overflow-wrap:anywhere]">
          {(isNamed || lines.length > 1) && <span className="text-muted">{`${label}: `}</span>}
          {from && <del className="text-muted">{from}</del>}
          {from && to && <span className="text-muted">{" → "}</span>}
          {to && <ins className="text-body no-underline">{to}</ins>}
        </li>
      ))}
    </ul>
  );
}
