import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ProgressBar } from "@/components/progress-bar";
import { formatNumber } from "@/lib/format";
import { useBrief } from "./brief";
import { useColumnName } from "./column-row";
import type { useImportCalls } from "./data";
import { Changes, Counts, hasReport, Problems, ReportButton } from "./outcome";
import { refusalText } from "./refusal-text";
import { Step } from "./step";
import { openValues, valuesId } from "./value-matches";

/** Values of columns that are no choices, and the way to where one says what they become. */
function OpenValues({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const nameOf = useColumnName();
  return plan.columns.map((column, at) => {
    const count = openValues(column).length;
    if (count === 0) return null;
    const show = () => {
      const place = document.getElementById(valuesId(at));
      place?.scrollIntoView({ block: "center" });
      place?.querySelector("input")?.focus({ preventScroll: true });
    };
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns never move, and their names need not differ
      <Alert key={at} kind="warning">
        <p>{t("ui.imports.values.open", { count, total: formatNumber(count), column: nameOf(column, at) })}</p>
        <Button size="sm" className="mt-2.5" onClick={show}>
          {t("ui.imports.values.match", { count })}
        </Button>
      </Alert>
    );
  });
}

/** What a check found: what the import would do, and what is wrong with rows. */
export function CheckStep({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const { state, counts, checked } = plan;
  const place = useRef<HTMLDivElement>(null);
  const isChecked = state === "checked";
  useEffect(() => {
    if (isChecked) place.current?.scrollIntoView({ block: "start" });
  }, [isChecked]);
  if (state !== "checking" && !checked && !plan.fault) return null;
  const lead = (text: string) => (
    <p tabIndex={-1} data-refocus className="text-muted outline-none">
      {text}
    </p>
  );
  const content = () => {
    if (state === "checking")
      return (
        <div key="checking" className="grid grid-cols-1 gap-4">
          {lead(t("ui.imports.checkLead"))}
          <ProgressBar
            label={t("ui.imports.checking")}
            share={plan.rows > 0 ? counts.done / plan.rows : 0}
            text={t("ui.imports.progress", { done: formatNumber(counts.done), total: formatNumber(plan.rows) })}
          />
        </div>
      );
    if (!checked) return <Alert kind="error">{plan.fault}</Alert>;
    return (
      <div key="checked" className="grid grid-cols-1 gap-5">
        <Counts counts={checked} />
        {lead(t("ui.imports.wouldLead"))}
        {checked.created + checked.updated === 0 && <Alert kind="warning">{t("ui.imports.nothing")}</Alert>}
        <OpenValues plan={plan} />
        <Changes plan={plan} />
        <Problems plan={plan} />
        {hasReport(plan, checked) && (
          <div>
            <ReportButton of={plan} />
          </div>
        )}
      </div>
    );
  };
  return (
    <div ref={place} className="scroll-mt-20">
      <Step number={5} title={t("ui.imports.steps.check")} className="@container grid grid-cols-1 gap-4 px-5 pb-5">
        {content()}
      </Step>
    </div>
  );
}

/** Tries all rows of an import without keeping anything, and starts it. Always in reach below the steps. */
export function CheckBar({ plan, calls }: { plan: ImportPlan; calls: ReturnType<typeof useImportCalls> }) {
  const { t } = useTranslation();
  const briefOf = useBrief();
  const { id, state, checked } = plan;
  const { check, start, stop } = calls;
  const error = check.error ?? start.error;
  const isChecked = state === "checked" && checked !== undefined;
  const count = isChecked ? checked.created + checked.updated : 0;
  const { created = 0, updated = 0, skipped = 0, failed = 0 } = checked ?? {};
  const text = isChecked
    ? briefOf({ created, updated, skipped, failed })
    : t(state === "checking" ? "ui.imports.checking" : "ui.imports.checkLead");
  const button = () => {
    if (state === "checking")
      return (
        <Button key="stop" className="max-sm:w-full" data-no-refocus busy={stop.isPending} onClick={() => stop.mutate(id)}>
          {t("ui.imports.stop")}
        </Button>
      );
    if (isChecked && count > 0)
      return (
        <Button
          key="start"
          variant="primary"
          className="max-sm:w-full"
          data-no-refocus
          busy={start.isPending}
          onClick={() => {
            check.reset();
            start.mutate(id);
          }}
        >
          {t("ui.imports.start", { count, total: formatNumber(count) })}
        </Button>
      );
    return (
      <Button
        key="check"
        variant={isChecked ? "secondary" : "primary"}
        className="max-sm:w-full"
        data-no-refocus
        busy={check.isPending}
        onClick={() => {
          start.reset();
          check.mutate(id);
        }}
      >
        {t("ui.imports.check", { count: plan.rows, total: formatNumber(plan.rows) })}
      </Button>
    );
  };
  return (
    <div className="sticky bottom-0 z-20 pb-3">
      <div className="grid grid-cols-1 gap-3 rounded-2xl border border-line bg-surface px-5 py-3 shadow-panel">
        {error && <Alert kind="error">{refusalText(error)}</Alert>}
        <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
          <p className="min-w-0 flex-auto text-sm text-soft max-sm:w-full">{text}</p>
          {button()}
        </div>
      </div>
    </div>
  );
}
