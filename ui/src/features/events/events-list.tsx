import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import type { CalendarEvent } from "@/api/schema";
import { Pager } from "@/components/pager";
import { useMay } from "@/features/account/data";
import { ListScreen } from "@/features/lists/list-screen";
import { ListTable } from "@/features/lists/list-table";
import { useList } from "@/features/lists/use-list";
import { useSelection } from "@/features/lists/use-selection";
import { eventColour } from "@/lib/colours";
import { formatNumber } from "@/lib/format";
import { usePaging } from "@/lib/use-paging";
import { useEventColumns } from "./columns";
import { eventRecordsQuery, pageSize } from "./data";
import { SpanChoice } from "./span-choice";
import { whenText } from "./when";

/** All events as a list, each series once. */
export function EventsList() {
  const { t } = useTranslation();
  const { id: current } = useParams();
  const mayWrite = useMay("events.write");
  const paging = usePaging(pageSize, {});
  const list = useList<CalendarEvent>({ kind: "event", columns: useEventColumns(), order: "-start", address: paging });
  const query = useQuery({ ...eventRecordsQuery({ ...list.request, cursor: paging.cursor }), enabled: list.mayRead });
  const page = list.isKnown ? query.data : undefined;
  const { items = [], total = 0 } = page ?? {};
  const selection = useSelection(list, items);
  return (
    <ListScreen
      kind="event"
      list={list}
      page={page}
      query={query}
      lead={t(list.isFiltered ? "ui.events.found" : "ui.events.count", { count: total, total: formatNumber(total) })}
      isEmpty={items.length === 0}
      controls={<SpanChoice value="list" onChange={(span) => list.set({ span: span === "week" ? undefined : span })} />}
      selection={selection}
    >
      <ListTable
        list={list}
        label={t("ui.events.title")}
        titleLabel={t("ui.events.titleField")}
        titleSort="title"
        records={items}
        selection={mayWrite ? selection : undefined}
        current={current}
        to={(one) => `/events/${one.id}${list.addressText}`}
        title={(one) => ({
          name: one.title,
          line: one.recurrence ? t("ui.events.repeats") : undefined,
          icon: <span aria-hidden className="block h-8 w-1 rounded-full" style={{ background: eventColour(one.color) }} />,
        })}
        card={(one) => (
          <>
            <span>{whenText(one, t("ui.events.allDay")).join(" · ")}</span>
            {one.location && (
              <span dir="auto" className="min-w-0 truncate">
                {one.location}
              </span>
            )}
          </>
        )}
      />
      {page && <Pager list={page} paging={paging} />}
    </ListScreen>
  );
}
