import { useQuery } from "@tanstack/react-query";
import { SearchX, Shapes, Trash2, Undo2, User, UserX } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import type { BinnedRecord } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { FilterMenu } from "@/components/filter-menu";
import { IconButton } from "@/components/icon-button";
import { Pager } from "@/components/pager";
import { SafeLink } from "@/components/safe-link";
import { SearchField } from "@/components/search-field";
import { Sentence, slot } from "@/components/sentence";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { EraseDialog } from "@/features/customers/erase-dialog";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { ago, formatNumber, longDate, mediumDate } from "@/lib/format";
import { isInAppPath } from "@/lib/links";
import { oneOf, recordId, searchText } from "@/lib/search-params";
import { toast } from "@/lib/toast";
import { useSearchText } from "@/lib/use-address";
import { usePaging } from "@/lib/use-paging";
import { recordKinds } from "@/records/kinds";
import { useRestore } from "@/records/use-restore";
import { binPageSize, binQuery, useEmptyBin, usePurge } from "./data";

/** The kinds of records that are in the bin when they are deleted. */
const binnedKinds = ["customer", "organization", "deal", "task", "event", "page"] as const;

interface RowProps {
  record: BinnedRecord;
  /** Asks before the record is deleted for good; undefined without the right. */
  onPurge: (() => void) | undefined;
  /** Asks before all data of a person is deleted; undefined without the right, and for other records. */
  onErase: (() => void) | undefined;
}

function Row({ record, onPurge, onErase }: RowProps) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { find } = useMembers();
  const restore = useRestore();
  const { kind, subtitle, removedAt, removedBy, purgedAt, mergedInto, retentionMonths } = record;
  const { icon: Icon } = recordKinds[kind];
  const title = record.title || t("ui.records.untitled");
  const by = find(removedBy)?.name;
  const removed = by ? t("ui.bin.removedBy", { name: by, ago: ago(removedAt) }) : t("ui.bin.removed", { ago: ago(removedAt) });
  return (
    <li data-item className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-hover px-5 py-3 last:border-0 sm:px-6">
      <span className="grid size-9 shrink-0 place-items-center rounded-lg bg-hover text-soft">
        <Icon aria-hidden size={18} />
      </span>
      <div className="min-w-40 flex-1">
        <p dir="auto" className="truncate font-medium text-ink" title={title}>
          {title}
        </p>
        <p className="text-sm text-muted">
          {[t(`ui.records.kinds.${kind}`), subtitle].filter(Boolean).join(" · ")}
          <span className="block" title={longDate(removedAt)}>
            {[removed, t(retentionMonths ? "ui.bin.erasedOn" : "ui.bin.until", { day: mediumDate(purgedAt) })].join(" · ")}
          </span>
          {retentionMonths && (
            <span className="block">{t("ui.bin.retention", { count: retentionMonths, total: formatNumber(retentionMonths) })}</span>
          )}
          {mergedInto && (
            <span className="block">
              <Sentence
                text={t("ui.bin.mergedInto", { title: slot("title") })}
                slots={{
                  title: (
                    <SafeLink link={mergedInto.link} useRouter className="text-accent hover:underline pointer-coarse:py-3">
                      {mergedInto.title}
                    </SafeLink>
                  ),
                }}
              />
            </span>
          )}
        </p>
      </div>
      <div className="flex shrink-0 items-center gap-1">
        <Button
          size="sm"
          icon={Undo2}
          busy={restore.isPending}
          onClick={() =>
            restore.mutate(record, {
              onSuccess: ({ link }) =>
                toast.success(t(mergedInto ? "ui.bin.unmerged" : "ui.bin.restored", { title }), {
                  label: t("ui.bin.open"),
                  run: () => isInAppPath(link) && void navigate(link),
                }),
            })
          }
        >
          {t(mergedInto ? "ui.bin.unmerge" : "ui.bin.restore")}
        </Button>
        {onErase && <IconButton label={t("ui.bin.erase", { name: title })} icon={UserX} tone="danger" size="sm" onClick={onErase} />}
        {onPurge && <IconButton label={t("ui.bin.purge", { title })} icon={Trash2} tone="danger" size="sm" onClick={onPurge} />}
      </div>
    </li>
  );
}

/** Removed records that the member may restore. */
export function BinSection() {
  const { t } = useTranslation();
  const mayEmpty = useMay("bin.empty");
  const paging = usePaging(binPageSize, { q: searchText, kind: oneOf(binnedKinds), by: recordId });
  const { q, kind, by } = paging.filters;
  const { data, error, refetch, isPlaceholderData } = useQuery(binQuery({ q, kind, removedBy: by }, paging.cursor));
  const { text, setText, clear } = useSearchText(q, paging.set);
  const { members } = useMembers();
  const isFiltered = q !== undefined || kind !== undefined || by !== undefined;
  const purge = usePurge();
  const empty = useEmptyBin();
  const [asked, setAsked] = useState<BinnedRecord | "all">();
  const [erased, setErased] = useState<BinnedRecord>();
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
    if (data.items.length === 0 && isFiltered && !data.nextCursor) {
      const clearAll = () => {
        clear();
        paging.set({ q: undefined, kind: undefined, by: undefined });
      };
      return (
        <EmptyState
          icon={SearchX}
          title={t("ui.list.noMatch")}
          text={t("ui.list.noMatchText")}
          action={<Button onClick={clearAll}>{t("ui.list.clearFilters")}</Button>}
        />
      );
    }
    if (data.items.length === 0 && !isFiltered) return <EmptyState icon={Trash2} title={t("ui.bin.empty")} text={t("ui.bin.emptyText")} />;
    return (
      <div className={cx("border-t border-line transition-opacity duration-150", isPlaceholderData && "opacity-60")}>
        <ul aria-label={t("ui.settings.sections.bin")}>
          {data.items.map((record) => (
            <Row
              key={record.id}
              record={record}
              onPurge={mayEmpty ? () => setAsked(record) : undefined}
              onErase={mayEmpty && record.kind === "customer" ? () => setErased(record) : undefined}
            />
          ))}
        </ul>
        <Pager list={data} paging={paging} optional />
      </div>
    );
  };
  const title = asked && asked !== "all" ? asked.title || t("ui.records.untitled") : "";
  /** What is left of a record that is deleted for good. */
  const whatStays = (record: BinnedRecord) => {
    if (record.retentionMonths) return t("ui.bin.forGoodRetained");
    return t(record.kind === "customer" ? "ui.bin.forGoodPerson" : "ui.bin.forGood");
  };
  return (
    <Card
      flush
      title={t("ui.settings.sections.bin")}
      subtitle={t(mayEmpty ? "ui.bin.leadAll" : "ui.bin.lead")}
      actions={
        mayEmpty &&
        data &&
        (data.items.length > 0 || isFiltered) && (
          <Button size="sm" icon={Trash2} busy={empty.isPending} onClick={() => setAsked("all")}>
            {t("ui.bin.emptyBin")}
          </Button>
        )
      }
      className="sm:[&>header]:px-6"
    >
      {(isFiltered || text || (data && data.items.length > 0)) && (
        <div role="search" className="no-print flex flex-wrap items-center gap-2 px-5 pb-4 sm:px-6">
          <SearchField label={t("ui.bin.search")} value={text} onChange={setText} className="w-full sm:w-72" />
          <FilterMenu
            icon={Shapes}
            label={t("ui.bin.kind")}
            value={kind}
            onChange={(value) => paging.set({ kind: value })}
            options={binnedKinds.map((value) => ({ value, label: t(`ui.records.kinds.${value}`) }))}
          />
          {mayEmpty && (
            <FilterMenu
              icon={User}
              label={t("ui.bin.by")}
              value={by}
              onChange={(value) => paging.set({ by: value })}
              options={members.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </div>
      )}
      {content()}
      <ConfirmDialog
        title={asked === "all" ? t("ui.bin.emptyTitle") : t("ui.bin.purgeTitle", { title })}
        text={asked && asked !== "all" ? whatStays(asked) : t("ui.bin.forGood")}
        confirm={t("ui.action.delete")}
        isOpen={asked !== undefined}
        onOpenChange={(open) => !open && setAsked(undefined)}
        onConfirm={() => {
          if (asked === "all") empty.mutate();
          else if (asked) purge.mutate(asked);
        }}
      />
      {erased && (
        <EraseDialog
          person={{ id: erased.id, name: erased.title }}
          onClose={() => setErased(undefined)}
          onErased={() => setErased(undefined)}
        />
      )}
    </Card>
  );
}
