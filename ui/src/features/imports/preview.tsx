import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import { useTranslation } from "react-i18next";
import type { ImportPlan } from "@/api/schema";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useColumnName } from "./column-row";
import { importFieldsQuery, previewQuery } from "./data";
import { Step } from "./step";

/** The first rows as they would be imported, with what is wrong at their cells. */
export function Preview({ plan }: { plan: ImportPlan }) {
  const { t, i18n } = useTranslation();
  const nameOf = useColumnName();
  const { data: fields = [] } = useQuery(importFieldsQuery(plan.kind, i18n.language));
  const { data: rows, error, refetch, isPlaceholderData } = useQuery({ ...previewQuery(plan), enabled: plan.state !== "checking" });
  const shown = plan.columns.flatMap((column, at) => {
    const label = column.newField?.name ?? fields.find(({ name }) => name === column.field)?.label;
    return label === undefined ? [] : [{ at, label, header: nameOf(column, at) }];
  });
  const content = () => {
    if (shown.length === 0) return <p className="px-5 pb-5 text-muted">{t("ui.imports.previewNone")}</p>;
    if (!rows) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} className="p-5" />;
    return (
      <section
        aria-label={t("ui.imports.steps.preview")}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
        tabIndex={0}
        className={cx(
          "max-h-110 overflow-auto border-t border-line transition-opacity duration-150 focus-visible:-outline-offset-2",
          isPlaceholderData && "opacity-60",
        )}
      >
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr>
              <th scope="col" className="sticky top-0 z-1 bg-surface py-2.5 pr-3 pl-5 text-left align-bottom font-medium text-muted">
                {t("ui.imports.rowNumber")}
              </th>
              {shown.map(({ at, label, header }) => (
                <th key={at} scope="col" className="sticky top-0 z-1 bg-surface px-3 py-2.5 text-left align-bottom last:pr-5">
                  <span dir="auto" className="block max-w-60 truncate font-semibold text-ink" title={label}>
                    {label}
                  </span>
                  <span dir="auto" className="block max-w-60 truncate text-xs font-normal text-muted" title={header}>
                    {header}
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, cells, problems }) => {
              const ofRow = problems.filter(({ column }) => !shown.some(({ at }) => at === column));
              return (
                <Fragment key={row}>
                  <tr className="border-t border-hover">
                    <th scope="row" className="py-2 pr-3 pl-5 text-left align-top font-normal text-muted tabular-nums">
                      {formatNumber(row)}
                    </th>
                    {shown.map(({ at }) => {
                      const wrong = problems.filter(({ column }) => column === at);
                      const tone = wrong.some(({ warning }) => !warning) ? "bg-bad-soft" : wrong.length > 0 && "bg-warn-soft";
                      return (
                        <td key={at} className={cx("px-3 py-2 align-top last:pr-5", tone)}>
                          <span dir="auto" className="line-clamp-2 max-w-60 min-w-16 [overflow-wrap:anywhere]">
                            {cells[at]}
                          </span>
                          {wrong.map(({ message, warning }) => (
                            <span
                              key={message}
                              className={cx("mt-0.5 block max-w-60 min-w-40 text-xs", warning ? "text-warn" : "text-bad")}
                            >
                              {message}
                              {warning && ` ${t("ui.imports.withoutValue")}`}
                            </span>
                          ))}
                        </td>
                      );
                    })}
                  </tr>
                  {ofRow.map(({ message }) => (
                    <tr key={message}>
                      <td />
                      <td colSpan={shown.length} className="bg-bad-soft px-3 py-1.5 text-xs text-bad">
                        {message}
                      </td>
                    </tr>
                  ))}
                </Fragment>
              );
            })}
          </tbody>
        </table>
      </section>
    );
  };
  return (
    <Step
      number={4}
      title={t("ui.imports.steps.preview")}
      subtitle={rows && shown.length > 0 && t("ui.imports.previewLead", { count: rows.length, total: formatNumber(rows.length) })}
    >
      {content()}
    </Step>
  );
}
