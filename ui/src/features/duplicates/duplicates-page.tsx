import { useQuery, useQueryClient } from "@tanstack/react-query";
import { CopyCheck, LoaderCircle, ScanSearch } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { DuplicateScan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Pager } from "@/components/pager";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { CustomerTabs } from "@/features/contact/customer-tabs";
import { useMembers } from "@/features/team/data";
import { cx } from "@/lib/cx";
import { formatDate, formatNumber } from "@/lib/format";
import { oneOf } from "@/lib/search-params";
import { useListKeys } from "@/lib/use-list-keys";
import { usePaging } from "@/lib/use-paging";
import { type MergedKind, mergedKinds, recordKinds } from "@/records/kinds";
import { useTitle } from "@/shell/use-title";
import { pairsPageSize, pairsQuery, scanQuery, useScan } from "./data";
import { MergedList } from "./merged-list";
import { PairRow, titlesOfPair } from "./pair-row";
import { useDismissPair } from "./use-dismiss-pair";
import { useMergeDialog } from "./use-merge-dialog";

const kindNames = mergedKinds.map((kind) => recordKinds[kind].name);
const parsers = { kind: oneOf(kindNames), show: oneOf(["merged"]) };

/** Returns a sentence that says when duplicates were last looked for, and who did it. */
function useScanText() {
  const { t } = useTranslation();
  const { find } = useMembers();
  return (scan: DuplicateScan | undefined) => {
    if (!scan?.scannedAt) return t("ui.duplicates.lead");
    const at = formatDate(scan.scannedAt, { dateStyle: "medium", timeStyle: "short" });
    const name = find(scan.scannedBy)?.name;
    return name ? t("ui.duplicates.scannedBy", { at, name }) : t("ui.duplicates.scanned", { at });
  };
}

/** Whether duplicates are being looked for, or the search failed. */
function ScanState({ kind, scan }: Pick<PairsProps, "kind" | "scan">) {
  const { t } = useTranslation();
  if (scan?.state === "failed") {
    return (
      <Alert kind="error" className="m-4">
        {t("ui.duplicates.scanFailed")}
      </Alert>
    );
  }
  if (scan?.state !== "running") return null;
  return (
    <p role="status" className="flex items-center gap-2.5 border-b border-line px-5 py-4 text-sm text-soft">
      <LoaderCircle aria-hidden size={16} className="animate-spin text-primary" />
      {t(`ui.duplicates.scanning.${kind}`, { count: scan.total, total: formatNumber(scan.total) })}
    </p>
  );
}

interface PairsProps {
  kind: MergedKind;
  scan: DuplicateScan | undefined;
  paging: ReturnType<typeof usePaging>;
  /** Starts a search, for members who may. */
  onScan: (() => void) | undefined;
}

/** The pairs that were found, page by page. */
function Pairs({ kind, scan, paging, onScan }: PairsProps) {
  const { t } = useTranslation();
  const rows = useRef<HTMLUListElement>(null);
  const { data, error, refetch, isPlaceholderData } = useQuery(pairsQuery(kind, paging.cursor));
  const { open, dialog } = useMergeDialog(kind);
  const dismiss = useDismissPair(kind);
  useListKeys(rows);
  // Pairs that were merged or changed since the search are left out, so a page can be empty before the end.
  const isEmpty = data?.items.length === 0 && !isPlaceholderData;
  const following = isEmpty ? data.nextCursor : undefined;
  const isPastEnd = isEmpty && following === undefined && paging.cursor !== undefined;
  const turn = useEffectEvent(() => (following ? paging.next(following) : paging.set({})));
  useEffect(() => {
    if (following || isPastEnd) turn();
  }, [following, isPastEnd]);
  if (!data || following || isPastEnd)
    return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} className="p-5" />;
  if (data.items.length === 0) {
    if (scan?.state === "running" || scan?.state === "failed") return null;
    const isNever = scan?.state === "never";
    return (
      <EmptyState
        icon={isNever ? ScanSearch : CopyCheck}
        title={t(isNever ? "ui.duplicates.never" : "ui.duplicates.none")}
        text={t(isNever ? `ui.duplicates.neverText.${kind}` : `ui.duplicates.noneText.${kind}`)}
        action={
          isNever &&
          onScan && (
            <Button variant="primary" icon={ScanSearch} onClick={onScan}>
              {t("ui.duplicates.scan")}
            </Button>
          )
        }
      />
    );
  }
  return (
    <>
      <ul
        ref={rows}
        aria-label={t("ui.duplicates.title")}
        className={cx("@container transition-opacity duration-150", isPlaceholderData && "opacity-60")}
      >
        {data.items.map((pair) => {
          const [one, other] = pair.records;
          const actions = onScan &&
            one &&
            other && {
              compare: () => open(one.id, other.id),
              dismiss: () => void dismiss([one.id, other.id], titlesOfPair(pair.records)),
            };
          return <PairRow key={pair.records.map(({ id }) => id).join()} kind={kind} pair={pair} actions={actions || undefined} />;
        })}
      </ul>
      <Pager list={data} paging={paging} optional />
      {dialog}
    </>
  );
}

/** Records that a company may have twice: looks for them, compares and merges them, and undoes merges. */
export function DuplicatesPage() {
  const { t } = useTranslation();
  const client = useQueryClient();
  const paging = usePaging(pairsPageSize, parsers);
  const mayRead = { customer: useMay("customers.read"), organization: useMay("organizations.read") };
  const mayWrite = { customer: useMay("customers.write"), organization: useMay("organizations.write") };
  const readable = mergedKinds.filter((kind) => mayRead[kind]);
  const asked = mergedKinds.find((kind) => recordKinds[kind].name === paging.filters.kind);
  const kind = readable.find((one) => one === asked) ?? readable[0] ?? "customer";
  const isMerged = paging.filters.show === "merged";
  const { data: scan } = useQuery(scanQuery(kind));
  const scanText = useScanText()(scan);
  const { mutate: start, isPending } = useScan(kind);
  const onScan = mayWrite[kind] ? () => start() : undefined;
  const state = scan?.state;
  const before = useRef({ kind, state });
  useTitle(t("ui.duplicates.title"));
  // In case no frame said that the search is over.
  useEffect(() => {
    const isOver = before.current.kind === kind && before.current.state === "running" && state !== "running";
    before.current = { kind, state };
    if (isOver) void client.invalidateQueries({ queryKey: ["duplicates", "pairs", kind] });
  }, [client, kind, state]);
  return (
    <Page>
      <PageHead
        title={t("ui.duplicates.title")}
        lead={scanText}
        actions={
          onScan &&
          state !== undefined &&
          state !== "never" && (
            <Button icon={ScanSearch} busy={isPending || state === "running"} onClick={onScan}>
              {t("ui.duplicates.scan")}
            </Button>
          )
        }
      />
      <CustomerTabs />
      <Card flush>
        <div className="no-print flex flex-wrap items-center justify-between gap-x-4 gap-y-3 border-b border-line px-4 py-3.5">
          {readable.length > 1 && (
            <Segmented
              label={t("ui.duplicates.kind")}
              value={kind}
              onChange={(next) => paging.set({ kind: next === "customer" ? undefined : recordKinds[next].name })}
              options={readable.map((value) => ({
                value,
                label: t(value === "customer" ? "ui.customers.people" : "ui.organizations.title"),
              }))}
            />
          )}
          <Segmented
            label={t("ui.duplicates.show")}
            value={isMerged ? "merged" : "pairs"}
            onChange={(show) => paging.set({ show: show === "merged" ? show : undefined })}
            options={[
              { value: "pairs", label: t("ui.duplicates.shows.pairs") },
              { value: "merged", label: t("ui.duplicates.shows.merged") },
            ]}
          />
        </div>
        {isMerged ? (
          <MergedList key={kind} kind={kind} />
        ) : (
          <>
            <ScanState kind={kind} scan={scan} />
            <Pairs key={kind} kind={kind} scan={scan} paging={paging} onScan={onScan} />
          </>
        )}
      </Card>
    </Page>
  );
}
