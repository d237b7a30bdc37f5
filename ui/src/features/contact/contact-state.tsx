import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { NextStep, Stamped } from "@/api/schema";
import { TimeCell } from "@/components/cells";
import { RecordTitle } from "@/components/record-title";
import { cx } from "@/lib/cx";
import { ago, formatDate, longDate } from "@/lib/format";
import { addDays, isoDay } from "@/lib/zone";
import { openedState, pathOfKind } from "@/records/kinds";
import type { ListColumn } from "@/records/list/columns";

/** What a record has of its last contact and next step. */
export interface ContactState {
  lastContactAt?: string;
  nextStep?: NextStep;
}

/** The day of a next step: red when it is past. */
export function StepDay({ dueDate }: { dueDate: string | undefined }) {
  const { t } = useTranslation();
  if (!dueDate) return t("ui.activities.noDay");
  const today = isoDay();
  const isLate = dueDate < today;
  const text = () => {
    if (dueDate === today) return t("ui.tasks.today");
    if (dueDate === addDays(today, 1)) return t("ui.tasks.tomorrow");
    return formatDate(dueDate, { day: "numeric", month: "short", ...(dueDate.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }) });
  };
  return (
    <time dateTime={dueDate} title={longDate(dueDate)} className={cx("whitespace-nowrap tabular-nums", isLate && "font-medium text-bad")}>
      {text()}
      {isLate && <span className="sr-only">{` (${t("ui.tasks.overdue")})`}</span>}
    </time>
  );
}

/** The day of the next step as a link to its task. */
function StepLink({ taskId, dueDate }: NextStep) {
  return (
    <Link to={`${pathOfKind("task")}/${taskId}`} className="text-sm text-muted hover:underline">
      <StepDay dueDate={dueDate} />
    </Link>
  );
}

export interface ContactColumnsOptions {
  /** Whether the list shows them unless the member chooses columns, and the classes that hide them in a narrow list. */
  usual?: { lastContact: string; nextStep: string };
}

/** The columns of the last contact and the next step. */
export function useContactColumns<T extends Stamped & ContactState>({ usual }: ContactColumnsOptions = {}): ListColumn<T>[] {
  const { t } = useTranslation();
  const inList = (narrow: string | undefined) => narrow !== undefined && { usual: true, narrow };
  return [
    {
      id: "lastContactAt",
      label: t("ui.activities.lastContact"),
      type: "time",
      ...inList(usual?.lastContact),
      className: "whitespace-nowrap",
      cell: ({ lastContactAt }) => lastContactAt && <TimeCell at={lastContactAt} />,
    },
    {
      id: "nextStepDay",
      label: t("ui.activities.nextStep"),
      type: "date",
      ...inList(usual?.nextStep),
      className: "whitespace-nowrap",
      cell: ({ nextStep }) => nextStep && <StepLink {...nextStep} />,
    },
  ];
}

/** The last contact and the next step of a record; nothing without any. */
export function ContactFacts({ lastContactAt, nextStep }: ContactState) {
  const { t } = useTranslation();
  if (!lastContactAt && !nextStep) return null;
  return (
    <dl className="mt-4 flex flex-wrap gap-x-8 gap-y-2.5 rounded-xl border border-line bg-sunken px-4 py-3">
      {lastContactAt && (
        <div>
          <dt className="text-xs text-muted">{t("ui.activities.lastContact")}</dt>
          <dd className="mt-0.5 text-ink first-letter:uppercase">
            <time dateTime={lastContactAt} title={longDate(lastContactAt)} className="inline-block first-letter:uppercase">
              {ago(lastContactAt)}
            </time>
          </dd>
        </div>
      )}
      {nextStep && (
        <div className="min-w-0">
          <dt className="text-xs text-muted">{t("ui.activities.nextStep")}</dt>
          <dd className="mt-0.5 flex flex-wrap items-center gap-x-2">
            <RecordTitle
              isLink
              kind="task"
              id={nextStep.taskId}
              state={openedState}
              className="fingertip relative text-ink hover:underline [overflow-wrap:anywhere]"
            />
            {nextStep.dueDate && (
              <span className="text-sm text-muted">
                <StepDay dueDate={nextStep.dueDate} />
              </span>
            )}
          </dd>
        </div>
      )}
    </dl>
  );
}

/** The last contact and the next step on the card of a list. */
export function ContactLine({ lastContactAt, nextStep }: ContactState) {
  const { t } = useTranslation();
  if (!lastContactAt && !nextStep) return null;
  return (
    <span className="flex w-full flex-wrap gap-x-3 text-muted">
      {lastContactAt && (
        <span>
          {t("ui.activities.lastContact")} <TimeCell at={lastContactAt} />
        </span>
      )}
      {nextStep && (
        <span>
          {t("ui.activities.nextStep")} <StepLink {...nextStep} />
        </span>
      )}
    </span>
  );
}
