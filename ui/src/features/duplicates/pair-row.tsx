import { useTranslation } from "react-i18next";
import type { DuplicatePair } from "@/api/schema";
import { Button } from "@/components/button";
import { StatusPill } from "@/components/status-pill";
import { RelatedRow } from "@/features/contact/related-row";
import { mediumDate } from "@/lib/format";
import { type MergedKind, pathOfKind } from "@/records/kinds";
import { distinctTitles } from "./distinct-titles";
import { likelihood, sortedReasons, useReasonTexts } from "./reasons";

interface PairRowProps {
  kind: MergedKind;
  pair: DuplicatePair;
  /** What the member may do with it; undefined without the right. */
  actions: { compare: () => void; dismiss: () => void } | undefined;
}

/** Returns the titles of the two records of a pair, which tell them apart. */
export function titlesOfPair(records: DuplicatePair["records"]): [string, string] {
  const [one = { title: "" }, other = { title: "" }] = records.map(({ card, createdAt }) => ({
    title: card.title,
    company: card.subtitle,
    createdAt,
  }));
  return distinctTitles(one, other);
}

/** Two records that may be the same, how likely that is and why. */
export function PairRow({ kind, pair: { records, score, reasons }, actions }: PairRowProps) {
  const { t } = useTranslation();
  const { fullText } = useReasonTexts();
  const { text, tone } = likelihood(score);
  const [one, other] = titlesOfPair(records);
  const titles = { one, other };
  return (
    <li
      data-item
      aria-label={t("ui.duplicates.pair", titles)}
      className="grid items-center gap-x-6 gap-y-3 border-b border-hover px-3 py-3 last:border-0 has-[[data-row]:focus-visible]:bg-hover/50 sm:px-4 @min-[560px]:grid-cols-[minmax(0,1fr)_auto] @min-[900px]:grid-cols-[minmax(0,1fr)_minmax(0,17rem)_auto]"
    >
      <div className="grid min-w-0 grid-cols-1 @min-[560px]:col-span-2 @min-[560px]:grid-cols-2 @min-[560px]:gap-x-4 @min-[900px]:col-span-1">
        {records.map(({ id, card, createdAt }) => (
          <RelatedRow
            key={id}
            to={`${pathOfKind(kind)}/${id}`}
            name={card.title}
            line={[card.subtitle, t("ui.duplicates.addedOn", { day: mediumDate(createdAt) })].filter(Boolean).join(" · ")}
          />
        ))}
      </div>
      <div className="min-w-0 px-2 @min-[900px]:px-0">
        <StatusPill tone={tone}>{t(text)}</StatusPill>
        <ul className="mt-1 text-sm text-soft">
          {sortedReasons(reasons).map((reason) => (
            <li key={reason.reason + reason.value} dir="auto" title={fullText(reason)} className="truncate first-letter:uppercase">
              {fullText(reason)}
            </li>
          ))}
        </ul>
      </div>
      {actions && (
        <div className="flex flex-wrap gap-2 px-2 @min-[900px]:px-0">
          <Button data-row size="sm" aria-label={t("ui.duplicates.comparePair", titles)} onClick={actions.compare}>
            {t("ui.duplicates.compareLong")}
          </Button>
          <Button
            data-select
            size="sm"
            variant="ghost"
            aria-label={t("ui.duplicates.dismissPair", titles)}
            aria-keyshortcuts="x"
            onClick={actions.dismiss}
          >
            {t("ui.duplicates.notDuplicates")}
          </Button>
        </div>
      )}
    </li>
  );
}
