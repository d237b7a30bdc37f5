import { useQuery } from "@tanstack/react-query";
import { CopyCheck, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { Duplicate } from "@/api/schema";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { Sentence, slot } from "@/components/sentence";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { type MergedKind, openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { useIsRemoved } from "@/records/removed";
import { duplicatesOfQuery, likelyScore } from "./data";
import { distinctTitles } from "./distinct-titles";
import { useMergeWork } from "./merge-work";
import { sortedReasons, useReasonTexts } from "./reasons";
import { useDismissPair } from "./use-dismiss-pair";
import { useRecordMerge } from "./use-merge-dialog";

interface DuplicateLineProps {
  kind: MergedKind;
  record: { id: string; name: string };
}

/** In the head of a record: a merge into it that is in progress, or the record that it is or may be a duplicate of. */
export function DuplicateLine({ kind, record }: DuplicateLineProps) {
  const { t } = useTranslation();
  const mayWrite = useMay(`${recordKinds[kind].name}.write`);
  const isRemoved = useIsRemoved(record.id);
  const { data } = useQuery({ ...duplicatesOfQuery(kind, record.id), enabled: mayWrite && !isRemoved });
  const work = useMergeWork((merges) => Object.values(merges).find(({ keptId }) => keptId === record.id));
  // Those with a lower score are listed as well: they may be the same.
  const [best] = data ?? [];
  if (work) {
    const total = formatNumber(work.moved);
    return (
      <p role="status" className="mt-3 text-sm text-muted">
        {t(work.state === "undoing" ? "ui.duplicates.undoing" : "ui.duplicates.merging", { title: work.duplicateTitle })}
        {work.state === "running" && work.moved > 0 && ` ${t("ui.duplicates.moved", { count: work.moved, total })}`}
      </p>
    );
  }
  return mayWrite && best && <Line kind={kind} record={record} duplicate={best} />;
}

function Line({ kind, record, duplicate }: DuplicateLineProps & { duplicate: Duplicate }) {
  const { t } = useTranslation();
  const { open, dialog } = useRecordMerge(kind, record.id);
  const dismiss = useDismissPair(kind);
  const { text } = useReasonTexts();
  const { id, card, score, reasons } = duplicate;
  const title = slot("title");
  const [shownTitle] = distinctTitles({ title: card.title, company: card.subtitle }, { title: record.name });
  return (
    <section
      aria-label={t("ui.duplicates.title")}
      className="no-print mt-3 flex items-center gap-2 rounded-control bg-sunken py-0.5 pr-0.5 pl-3 text-sm text-soft"
    >
      <CopyCheck aria-hidden size={16} className="shrink-0 text-muted" />
      <span className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-2 py-1">
        <span className="min-w-0 [overflow-wrap:anywhere]">
          <Sentence
            text={
              score >= likelyScore
                ? t("ui.duplicates.looksLike", { title })
                : t("ui.duplicates.mayBe", { title, reasons: sortedReasons(reasons).map(text).join(", ") })
            }
            slots={{
              title: (
                <Link
                  to={`${pathOfKind(kind)}/${id}`}
                  state={openedState}
                  dir="auto"
                  className="font-medium text-ink hover:underline pointer-coarse:py-3"
                >
                  {shownTitle}
                </Link>
              ),
            }}
          />
        </span>
        <Button size="sm" variant="ghost" className="-my-1 !text-accent max-sm:-ml-2.75" onClick={() => open(record.id, id)}>
          {t("ui.duplicates.compareShort")}
        </Button>
      </span>
      <IconButton
        label={t("ui.duplicates.notDuplicate")}
        icon={X}
        size="sm"
        onClick={() => dismiss([record.id, id], [record.name, card.title])}
      />
      {dialog}
    </section>
  );
}
