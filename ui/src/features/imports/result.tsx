import { FileInput, ListChecks } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { ProgressBar } from "@/components/progress-bar";
import { RecordTitle } from "@/components/record-title";
import { formatNumber, mediumDate } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";
import { importColumn } from "@/records/imports";
import { importPath, pathOfKind } from "@/records/kinds";
import { formatFilter } from "@/records/list/filters";
import { isUndoable, type useImportCalls } from "./data";
import { kindOf } from "./kinds";
import { Counts, hasReport, Problems, ReportButton } from "./outcome";
import { Step } from "./step";
import { UndoButton } from "./undo-button";

/** Days in which an import can be undone. */
const undoDays = 30;

/** Returns the address of the list with the records that an import created or changed. */
function listOf(plan: ImportPlan): string {
  const { kind } = kindOf(plan);
  const query = new URLSearchParams(kind === "task" ? { layout: "table" } : {});
  query.append("filter", formatFilter({ column: importColumn, operator: "is", values: [plan.id] }));
  return `${pathOfKind(kind)}?${query}`;
}

/** The records that could not be undone. */
function Kept({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  const { kept, keptIds } = plan;
  if (kept === 0) return null;
  const { kind } = kindOf(plan);
  return (
    <section>
      <p>{t("ui.imports.keptText", { count: kept, total: formatNumber(kept) })}</p>
      {kept > keptIds.length && <p className="mt-2">{t("ui.imports.keptFirst", { total: formatNumber(keptIds.length) })}</p>}
      <ul className="mt-2 grid list-disc grid-cols-1 gap-1 pl-5">
        {keptIds.map((id) => (
          <li key={id}>
            <RecordTitle kind={kind} id={id} isLink />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What was created for the import besides its records, and stays although it was undone. */
function Left({ plan }: { plan: ImportPlan }) {
  const { t } = useTranslation();
  if (plan.left.length === 0) return null;
  return (
    <section>
      <p>{t("ui.imports.left.title")}</p>
      <ul className="mt-2 grid list-disc grid-cols-1 gap-1 pl-5">
        {plan.left.map(({ kind, id, name = "", reason }) => (
          <li key={id}>
            {kind && kind !== "member" ? (
              <RecordTitle kind={kind} id={id} isLink />
            ) : (
              <span dir="auto">{t("ui.imports.left.field", { name })}</span>
            )}
            <span className="block text-sm text-muted">{t(`ui.imports.left.reasons.${reason}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** An import in progress, and what came of it. */
export function Result({ plan, calls }: { plan: ImportPlan; calls: ReturnType<typeof useImportCalls> }) {
  const { t } = useTranslation();
  const { state, counts } = plan;
  const progress = (done: number, total: number) => ({
    share: total > 0 ? done / total : 0,
    text: t("ui.imports.progress", { done: formatNumber(done), total: formatNumber(total) }),
  });
  if (state === "running")
    return (
      <Step
        key="running"
        refocus
        title={t("ui.imports.running")}
        subtitle={t("ui.imports.leave")}
        className="grid grid-cols-1 gap-4 px-5 pb-5"
      >
        <ProgressBar label={t("ui.imports.running")} {...progress(counts.done, plan.rows)} />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <Button data-no-refocus busy={calls.stop.isPending} onClick={() => calls.stop.mutate(plan.id)}>
            {t("ui.imports.stop")}
          </Button>
          <p className="text-sm text-muted">{t("ui.imports.stopNote")}</p>
        </div>
      </Step>
    );
  if (state === "undoing")
    return (
      <Step key="undoing" refocus title={t("ui.imports.undoing")} subtitle={t("ui.imports.leave")} className="px-5 pb-5">
        <ProgressBar label={t("ui.imports.undoing")} {...progress(plan.undone + plan.kept, counts.created + counts.updated)} />
      </Step>
    );
  const another = (
    <ButtonLink to={importPath(kindOf(plan).kind) ?? ""} icon={FileInput}>
      {t("ui.imports.another")}
    </ButtonLink>
  );
  if (state === "undone")
    return (
      <Step
        key="undone"
        refocus
        title={t(plan.undone === 0 && plan.kept > 0 ? "ui.imports.undoneNothing" : "ui.imports.undone")}
        className="grid grid-cols-1 gap-5 px-5 pb-5"
      >
        <p>{t("ui.imports.undoneText", { count: plan.undone, total: formatNumber(plan.undone) })}</p>
        <Kept plan={plan} />
        <Left plan={plan} />
        <div className="flex flex-wrap gap-2">
          {plan.kept > 0 && <UndoButton of={plan} />}
          {another}
        </div>
      </Step>
    );
  const title = state === "stopped" ? "stopped" : state === "failed" ? "failed" : "done";
  const made = counts.created + counts.updated;
  const until = addDays(isoDay(new Date(plan.createdAt)), undoDays);
  return (
    <Step key="done" refocus title={t(`ui.imports.${title}`)} className="@container grid grid-cols-1 gap-5 px-5 pb-5">
      {state === "stopped" && (
        <Alert kind="warning">{t("ui.imports.stoppedText", { done: formatNumber(counts.done), total: formatNumber(plan.rows) })}</Alert>
      )}
      {state === "failed" && (
        <Alert kind="error">
          <p>{plan.fault}</p>
          <p>{made > 0 ? t("ui.imports.failedText", { count: made, total: formatNumber(made) }) : t("ui.imports.failedNothing")}</p>
          {plan.undone > 0 && <p>{t("ui.imports.undoneText", { count: plan.undone, total: formatNumber(plan.undone) })}</p>}
        </Alert>
      )}
      <Counts counts={counts} />
      <Problems plan={plan} />
      <div className="grid grid-cols-1 gap-2.5">
        <div className="flex flex-wrap gap-2">
          {counts.created + counts.updated > 0 && (
            <ButtonLink variant="primary" to={listOf(plan)} icon={ListChecks}>
              {t("ui.imports.show")}
            </ButtonLink>
          )}
          {hasReport(plan, counts) && <ReportButton of={plan} />}
          {another}
          {isUndoable(plan) && <UndoButton of={plan} />}
        </div>
        {isUndoable(plan) && <p className="text-sm text-muted">{t("ui.imports.undoUntil", { day: mediumDate(until) })}</p>}
      </div>
    </Step>
  );
}
