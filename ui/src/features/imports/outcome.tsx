import { Download } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { ImportCounts, ImportPlan, RecordImport } from "@/api/schema";
import { Button } from "@/components/button";
import { RecordTitle } from "@/components/record-title";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { toast } from "@/lib/toast";
import { useColumnName } from "./column-row";
import { downloadReport } from "./data";
import { kindOf } from "./kinds";

const counted = ["created", "updated", "skipped", "failed"] as const;

/** What became of the rows, or would become of them, in numbers. */
export function Counts({ counts }: { counts: ImportCounts }) {
  const { t } = useTranslation();
  return (
    <dl className="grid grid-cols-2 gap-2.5 @min-[560px]:grid-cols-4">
      {counted.map((name) => (
        <div key={name} className="rounded-control bg-sunken px-3.5 py-2.5">
          <dt className="text-sm text-muted">{t(`ui.imports.counts.${name}`)}</dt>
          <dd className={cx("text-lg font-semibold tabular-nums", name === "failed" && counts.failed > 0 ? "text-bad" : "text-ink")}>
            {formatNumber(counts[name])}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Problems that are shown at first. */
const fewProblems = 8;
/** Maximum problems that the server lists. */
const maxListed = 50;

/** What is wrong with rows: where, and why. */
export function Problems({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const nameOf = useColumnName();
  const [isLong, setLong] = useState(false);
  const { problems } = plan;
  if (problems.length === 0) return null;
  const shown = isLong ? problems : problems.slice(0, fewProblems);
  const hidden = problems.length - shown.length;
  const isCut = problems.length >= maxListed;
  return (
    <section aria-labelledby="problems">
      <h3 id="problems" className="mb-2 text-sm font-semibold text-ink">
        {isCut ? t("ui.imports.problemsFirst", { total: formatNumber(problems.length) }) : t("ui.imports.problems")}
      </h3>
      {isCut && <p className="mb-2 text-sm text-muted">{t("ui.imports.reportHasAll")}</p>}
      <ul className="divide-y divide-hover rounded-control border border-line text-sm">
        {shown.map(({ row, column, message, value, warning }, at) => {
          const known = column === undefined ? undefined : plan.columns[column];
          return (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a row can have the same problem twice, and the list only grows
              key={at}
              className="grid grid-cols-1 gap-x-4 px-3.5 py-2 @min-[560px]:grid-cols-[5rem_minmax(0,12rem)_minmax(0,1fr)]"
            >
              <span className="font-medium text-ink tabular-nums">{t("ui.imports.rowOf", { row: formatNumber(row) })}</span>
              <span dir="auto" className="truncate text-soft empty:hidden @min-[560px]:empty:block">
                {known && nameOf(known, column ?? 0)}
              </span>
              <span className="[overflow-wrap:anywhere]">
                {value && <span dir="auto" className="text-soft">{`${t("ui.imports.value", { value })} `}</span>}
                {message}
                {warning && known && <span className="text-warn">{` ${t("ui.imports.withoutValue")}`}</span>}
              </span>
            </li>
          );
        })}
      </ul>
      {hidden > 0 && (
        <Button variant="ghost" size="sm" className="mt-2 -ml-2.75" onClick={() => setLong(true)}>
          {t("ui.imports.moreProblems", { count: hidden, total: formatNumber(hidden) })}
        </Button>
      )}
    </section>
  );
}

/** What rows would change of records that exist: which record, and each value before and after. */
export function Changes({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const [isLong, setLong] = useState(false);
  const { changes } = plan;
  if (changes.length === 0) return null;
  const { kind } = kindOf(plan);
  const shown = isLong ? changes : changes.slice(0, fewProblems);
  const hidden = changes.length - shown.length;
  const isCut = changes.length >= maxListed;
  return (
    <section aria-labelledby="changes">
      <h3 id="changes" className="mb-2 text-sm font-semibold text-ink">
        {isCut ? t("ui.imports.changesFirst", { total: formatNumber(changes.length) }) : t("ui.imports.changes")}
      </h3>
      {isCut && <p className="mb-2 text-sm text-muted">{t("ui.imports.reportHasAll")}</p>}
      <ul className="divide-y divide-hover rounded-control border border-line text-sm">
        {shown.map(({ row, id, values }) => (
          <li key={row} className="grid grid-cols-1 gap-x-4 px-3.5 py-2 @min-[560px]:grid-cols-[5rem_minmax(0,12rem)_minmax(0,1fr)]">
            <span className="font-medium text-ink tabular-nums">{t("ui.imports.rowOf", { row: formatNumber(row) })}</span>
            <span dir="auto" className="truncate">
              <RecordTitle kind={kind} id={id} isLink />
            </span>
            <span className="[overflow-wrap:anywhere]">
              {values.map(({ field, before, after }) => (
                <span key={field} dir="auto" className="block">
                  {t(before ? "ui.imports.changed" : "ui.imports.filled", { field, before, after })}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="ghost" size="sm" className="mt-2 -ml-2.75" onClick={() => setLong(true)}>
          {t("ui.imports.moreChanges", { count: hidden, total: formatNumber(hidden) })}
        </Button>
      )}
    </section>
  );
}

/** Whether the report says something: what is wrong with rows, which records exist, and what would change. */
export const hasReport = ({ problems, ...plan }: RecordImport | ImportPlan, { skipped }: ImportCounts) =>
  problems.length > 0 || skipped > 0 || ("changes" in plan && plan.changes.length > 0);

/** Downloads what is wrong with rows, and which records exist. */
export function ReportButton({ of, size }: { of: RecordImport; size?: "sm" }) {
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);
  const load = async () => {
    setBusy(true);
    try {
      await downloadReport(of, t("ui.imports.reportName"));
    } catch (error) {
      toast.error(errorText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button icon={Download} busy={isBusy} onClick={() => void load()} {...(size && { size })}>
      {t("ui.imports.report")}
    </Button>
  );
}
