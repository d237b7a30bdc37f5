import { useQuery } from "@tanstack/react-query";
import { History, LockKeyhole, SearchX, Shapes, UserRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { AuditEntry } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { DateField } from "@/components/date-field";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { FilterMenu } from "@/components/filter-menu";
import { Mark } from "@/components/mark";
import { Pager } from "@/components/pager";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { longDate, panelTime, shortTime } from "@/lib/format";
import { calendarDay, oneOf, recordId } from "@/lib/search-params";
import { usePaging } from "@/lib/use-paging";
import { addDays, instantOf, isoDay } from "@/lib/zone";
import { auditPage, auditQuery } from "../data";
import { EntryText, useFacts } from "./entry-text";

const kinds = [
  "auth",
  "session",
  "password",
  "email",
  "factor",
  "passkey",
  "member",
  "company",
  "person",
  "customer_statuses",
  "pipeline",
  "field",
  "tag",
  "import",
  "records",
  "operator",
] as const;
const parsers = { member: recordId, event: oneOf(kinds), day: calendarDay };

function Row({ entry }: { entry: AuditEntry }) {
  const facts = useFacts()(entry);
  const { actor, address, at } = entry;
  return (
    <li className="grid grid-cols-[auto_minmax(0,1fr)] items-start gap-x-3 px-5 py-2.5 sm:grid-cols-[auto_minmax(0,1fr)_auto] sm:px-6">
      {actor.kind === "member" ? (
        <Avatar name={actor.name ?? ""} src={actor.avatar} size={28} />
      ) : (
        <span className="grid size-7 place-items-center rounded-full bg-hover">
          <Mark size={16} />
        </span>
      )}
      <div className="min-w-0 pt-0.5">
        <p className="[overflow-wrap:anywhere]">
          <EntryText entry={entry} />
        </p>
        {facts.length > 0 && <p className="text-sm text-muted [overflow-wrap:anywhere]">{facts.join(" · ")}</p>}
      </div>
      <p className="text-sm whitespace-nowrap text-muted tabular-nums max-sm:col-start-2 sm:pt-0.5 sm:text-right">
        <time dateTime={at} title={panelTime(at)}>
          {shortTime(at)}
        </time>
        {address && <span className="max-sm:before:content-['·'] max-sm:before:mx-1.5 sm:block sm:text-xs">{address}</span>}
      </p>
    </li>
  );
}

/** Groups entries by day. */
function byDay(entries: AuditEntry[]): [string, AuditEntry[]][] {
  const days = new Map<string, AuditEntry[]>();
  for (const entry of entries) {
    const day = isoDay(new Date(entry.at));
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}

/** The audit log of accounts and settings: author, member concerned, action, time and place. */
export function AuditSection() {
  const { t } = useTranslation();
  const may = useMay("audit.read");
  const paging = usePaging(auditPage, parsers);
  const { members, find } = useMembers();
  const { filters, set } = paging;
  const { member, event, day } = filters;
  const from = day && instantOf(day, "00:00").toISOString();
  const to = day && instantOf(addDays(day, 1), "00:00").toISOString();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    ...auditQuery({ member, event, from, to, cursor: paging.cursor }),
    enabled: may,
  });
  if (!may) {
    return (
      <Card>
        <EmptyState icon={LockKeyhole} title={t("ui.settings.noRight")} text={t("ui.settings.noRightText")} />
      </Card>
    );
  }
  const person = find(member);
  const people = person && !members.some(({ id }) => id === person.id) ? [...members, person] : members;
  const narrowed = Boolean(member || event || day);
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
    if (data.items.length === 0) {
      return narrowed ? (
        <EmptyState
          icon={SearchX}
          title={t("ui.list.noMatch")}
          text={t("ui.list.noMatchText")}
          action={<Button onClick={() => set({ member: undefined, event: undefined, day: undefined })}>{t("ui.list.clearFilters")}</Button>}
        />
      ) : (
        <EmptyState icon={History} title={t("ui.audit.empty")} text={t("ui.audit.emptyText")} />
      );
    }
    return (
      <div className={cx("transition-opacity duration-150", isPlaceholderData && "opacity-60")}>
        {byDay(data.items).map(([date, entries]) => (
          <section key={date} aria-label={longDate(date)}>
            <h3 className="border-b border-line bg-sunken px-5 py-1.5 text-xs font-medium text-muted first-letter:uppercase sm:px-6">
              {longDate(date)}
            </h3>
            <ul className="divide-y divide-hover">
              {entries.map((entry) => (
                <Row key={entry.id} entry={entry} />
              ))}
            </ul>
          </section>
        ))}
        <Pager list={data} paging={paging} optional />
      </div>
    );
  };
  return (
    <Card flush title={t("ui.settings.sections.audit")} subtitle={t("ui.audit.lead")} className="sm:[&>header]:px-6">
      <div role="search" className="flex flex-wrap gap-2 border-y border-line px-5 py-3.5 sm:px-6">
        <FilterMenu
          icon={UserRound}
          label={t("ui.audit.person")}
          value={member}
          onChange={(value) => set({ member: value })}
          options={people.map(({ id, name, avatar }) => ({ value: id, label: name, icon: <Avatar name={name} src={avatar} size={20} /> }))}
        />
        <FilterMenu
          icon={Shapes}
          label={t("ui.audit.kind")}
          value={event}
          onChange={(value) => set({ event: value })}
          options={kinds.map((value) => ({ value, label: t(`ui.audit.kinds.${value}`) }))}
        />
        <DateField
          label={t("ui.audit.day")}
          hideLabel
          placeholder={t("ui.audit.day")}
          size="sm"
          className="w-52"
          value={day ?? null}
          onChange={(value) => set({ day: value ?? undefined })}
        />
      </div>
      {content()}
    </Card>
  );
}
