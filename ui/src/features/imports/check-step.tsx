import { useTranslation } from "react-i18next";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ProgressBar } from "@/components/progress-bar";
import { formatNumber } from "@/lib/format";
import type { useImportCalls } from "./data";
import { Counts, Problems, ReportButton } from "./outcome";
import { refusalText } from "./refusal-text";
import { Step } from "./step";

/** Tries all rows without keeping anything, says what would happen, and starts the import. */
export function CheckStep({ plan, calls }: { plan: ImportPlan; calls: ReturnType<typeof useImportCalls> }) {
  const { t } = useTranslation();
  const { id, state, counts, checked } = plan;
  const { check, start, stop } = calls;
  const error = check.error ?? start.error;
  const rows = { count: plan.rows, total: formatNumber(plan.rows) };
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
          <Button className="justify-self-start" data-no-refocus busy={stop.isPending} onClick={() => stop.mutate(id)}>
            {t("ui.imports.stop")}
          </Button>
        </div>
      );
    if (state === "checked" && checked) {
      const count = checked.created + checked.updated;
      return (
        <div key="checked" className="grid grid-cols-1 gap-5">
          {lead(t("ui.imports.wouldLead"))}
          <Counts counts={checked} />
          <Problems plan={plan} />
          {count === 0 && <Alert kind="warning">{t("ui.imports.nothing")}</Alert>}
          <div className="flex flex-wrap gap-2">
            {count > 0 && (
              <Button
                variant="primary"
                data-no-refocus
                busy={start.isPending}
                onClick={() => {
                  check.reset();
                  start.mutate(id);
                }}
              >
                {t("ui.imports.start", { count, total: formatNumber(count) })}
              </Button>
            )}
            {plan.problems.length > 0 && <ReportButton of={plan} />}
          </div>
        </div>
      );
    }
    return (
      <div key="ready" className="grid grid-cols-1 gap-4">
        {lead(t("ui.imports.checkLead"))}
        {plan.fault && <Alert kind="error">{plan.fault}</Alert>}
        <Button
          variant="primary"
          className="justify-self-start"
          data-no-refocus
          busy={check.isPending}
          onClick={() => {
            start.reset();
            check.mutate(id);
          }}
        >
          {t("ui.imports.check", rows)}
        </Button>
      </div>
    );
  };
  return (
    <Step number={5} title={t("ui.imports.steps.check")} className="@container grid grid-cols-1 gap-4 px-5 pb-5">
      {error && <Alert kind="error">{refusalText(error)}</Alert>}
      {content()}
    </Step>
  );
}
