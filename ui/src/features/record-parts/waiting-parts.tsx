import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { WaitingEntries } from "@/components/waiting-entries";
import { useUser } from "@/features/account/data";
import { type Entry, startEntries, useEntries } from "@/records/outbox";
import type { TimelineOf } from "@/records/timelines";

/** Comments, activities and tasks that were typed on a record and are not saved yet. */
export function WaitingParts({ record }: { record: TimelineOf }) {
  const { t } = useTranslation();
  const { id: me } = useUser();
  const client = useQueryClient();
  const all = useEntries(({ entries }) => entries);
  useEffect(() => startEntries(client, me), [client, me]);
  const textOf = (entry: Entry): string => {
    if (entry.kind === "comment") return entry.input.value || t("ui.activities.types.comment");
    if (entry.kind === "activity") {
      const { type, outcome, text } = entry.input;
      return [t(`ui.activities.types.${type}`), outcome, text].filter(Boolean).join(" · ");
    }
    return "title" in entry.input ? (entry.input.title ?? "") : "";
  };
  return <WaitingEntries entries={all.filter((entry) => entry.record?.id === record.id)} textOf={textOf} className="mt-2" />;
}
