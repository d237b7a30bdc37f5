import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useMembers } from "@/features/team/data";
import { formatDate, mediumDate, shortTime } from "@/lib/format";
import { numberText } from "@/lib/numbers";
import { property } from "@/lib/property";
import type { Field } from "@/records/fields";
import { pipelineQuery } from "@/records/pipeline";
import { statusesQuery } from "@/records/statuses";
import { isMoney, moneyText } from "./money";

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

/**
 * Returns a function that shows the value of a field in words; undefined when there is nothing to show. `titleOf` names
 * the records that values refer to, and `separator` is put between the items of a list.
 */
export function useFieldText(titleOf: (id: string) => string | undefined, separator = ", ") {
  const { t } = useTranslation();
  const { find } = useMembers();
  // The screen of a deal reads it.
  const { data: pipeline } = useQuery({ ...pipelineQuery, enabled: false });
  // The screen of a customer reads it.
  const { data: register } = useQuery({ ...statusesQuery, enabled: false });
  return (field: Field, value: unknown): string | undefined => {
    if (value === undefined || value === null) return undefined;
    switch (field.type) {
      case "text":
      case "company":
        return typeof value === "string" ? value : undefined;
      case "day":
        return typeof value === "string" ? formatDate(value, { dateStyle: "medium" }) : undefined;
      case "member":
        return find(String(value))?.name;
      case "record":
        return titleOf(String(value));
      case "tags":
        return texts(value).join(", ");
      case "yesNo":
        return value === true ? t("ui.timeline.yes") : t("ui.timeline.no");
      case "choice": {
        const text = field.texts[String(value)];
        return text && String(t(text));
      }
      case "items": {
        if (!Array.isArray(value)) return undefined;
        return value
          .map((one) => (typeof one === "string" ? one : field.text(one as never)))
          .filter(Boolean)
          .join(separator);
      }
      case "named":
        return [value]
          .flat()
          .flatMap((one) => field.names[String(one)] ?? [])
          .join(", ");
      case "pipeline":
        return pipeline?.[field.part].find(({ id }) => id === value)?.name;
      case "status":
        return register?.statuses.find(({ id }) => id === value)?.name;
      case "number":
        return typeof value === "number" ? numberText(value) : undefined;
      case "money":
        return isMoney(value) ? moneyText(value) : undefined;
      case "times":
        return timesText(value);
      case "attendees":
      case "html":
      case "picture":
      case "special":
        return undefined;
    }
  };
}

/** Returns a function that names a field. */
export function useFieldLabel(): (field: Field) => string {
  const { t } = useTranslation();
  return (field) => ("name" in field ? field.name : String(t(field.label)));
}
