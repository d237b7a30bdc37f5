import { useTranslation } from "react-i18next";
import { RecordList } from "@/features/lists/record-list";
import { namedColour } from "@/lib/colours";
import { useEventColumns } from "./columns";
import { SpanChoice } from "./span-choice";
import { whenText } from "./when";

/** All events as a list, each series once. */
export function EventsList() {
  const { t } = useTranslation();
  return (
    <RecordList
      kind="event"
      columns={useEventColumns()}
      order="-start"
      controls={(list) => <SpanChoice value="list" onChange={(span) => list.set({ span: span === "week" ? undefined : span })} />}
      title={(one) => ({
        name: one.title,
        line: one.recurrence ? t("ui.events.repeats") : undefined,
        icon: <span aria-hidden className="block h-8 w-1 shrink-0 rounded-full" style={{ background: namedColour(one.color) }} />,
      })}
      card={(one) => (
        <>
          <span>{whenText(one, t("ui.events.allDay"), "short").join(" · ")}</span>
          {one.location && (
            <span dir="auto" className="min-w-0 truncate">
              {one.location}
            </span>
          )}
        </>
      )}
    />
  );
}
