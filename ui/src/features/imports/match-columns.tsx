import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText, fieldError } from "@/api/errors";
import type { ImportColumn, ImportPlan } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { ColumnRow, type ColumnRowProps, useColumnName } from "./column-row";
import { importFieldsQuery, importQuery, useChangeImport } from "./data";
import { guessType } from "./guess-type";
import { Step } from "./step";

/** Returns a column as a change of all columns has it. */
const inputOf = ({ field, newField, label }: Pick<ImportColumn, "field" | "newField" | "label">) => ({
  field: field ?? null,
  newField: newField ?? null,
  label,
});

/** Matches the columns of the file with fields. `refusal` is what the server said of them when they were used. */
export function MatchColumns({ plan, refusal }: { plan: ImportPlan; refusal: unknown }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const mayDefine = useMay("fields.manage");
  const nameOf = useColumnName();
  const { id, columns } = plan;
  const { data: fields, error, refetch } = useQuery(importFieldsQuery(plan.kind, i18n.language));
  const change = useChangeImport(id);
  /** What a choice did to another column. */
  const [taken, setTaken] = useState("");

  const isList = (field: string | undefined) => fields?.find(({ name }) => name === field)?.isList ?? false;
  const users = new Map<string, string>();
  for (const [at, column] of columns.entries()) {
    if (column.field && !isList(column.field)) users.set(column.field, nameOf(column, at));
  }
  /** Changes one column. Another one with its field loses it, unless the field is a list. */
  const set = (at: number, target: Parameters<ColumnRowProps["onTarget"]>[0], label?: string) => {
    const latest = client.getQueryData(importQuery(id).queryKey)?.columns ?? columns;
    const column = latest[at];
    if (!column) return;
    const former = latest.findIndex(({ field }, place) => place !== at && field !== undefined && field === target.field && !isList(field));
    const next = latest.map((known, place) => {
      if (place === at) return inputOf({ label: label ?? known.label, ...target });
      return inputOf(place === former ? { label: known.label } : known);
    });
    const loser = latest[former];
    setTaken(loser ? t("ui.imports.taken", { column: nameOf(loser, former), other: nameOf(column, at) }) : "");
    change.mutate({ columns: next });
  };
  /** Says what values of a column become. */
  const setValues = (at: number, values: ImportColumn["values"]) => {
    const latest = client.getQueryData(importQuery(id).queryKey)?.columns ?? columns;
    const own = values.map(({ value, choice }) => ({ value, choice: choice ?? null }));
    change.mutate({ columns: latest.map((known, place) => ({ ...inputOf(known), ...(place === at && { values: own }) })) });
  };
  const missing = columns.filter(({ field, newField }) => !field && !newField).length;
  const refused = change.error ?? refusal;
  const errorOf = (at: number) => fieldError(refused, `columns.${at}`);
  const isNamed = columns.some((_, at) => errorOf(at));
  // The server takes the full name, where there is one, and leaves the parts.
  const whole = columns.findIndex(({ field }) => field === "name");
  const part = columns.findIndex(({ field }) => field === "lastName" || field === "firstName");
  const free = columns[part]?.field === "lastName" ? "firstName" : "lastName";
  const labelOf = (name: string) => fields?.find((field) => field.name === name)?.label ?? "";
  const [wholeColumn, partColumn] = [columns[whole], columns[part]];
  return (
    <Step
      number={2}
      title={t("ui.imports.steps.columns")}
      subtitle={
        <>
          {`${t("ui.imports.columnsLead")} `}
          <span className={missing > 0 ? "font-medium text-warn" : undefined}>
            {missing > 0 ? t("ui.imports.unmatched", { count: missing, total: formatNumber(missing) }) : t("ui.imports.allMatched")}
          </span>
        </>
      }
      className="@container"
    >
      <div aria-live="polite" className="px-5">
        {taken && (
          <Alert kind="info" className="mb-4" onDismiss={() => setTaken("")}>
            {taken}
          </Alert>
        )}
      </div>
      {fields && wholeColumn && partColumn && (
        <Alert kind="warning" className="mx-5 mb-4">
          <p>{t("ui.imports.fullName", { column: nameOf(wholeColumn, whole), part: nameOf(partColumn, part), field: labelOf("name") })}</p>
          {!columns.some(({ field }) => field === free) && (
            <Button size="sm" className="mt-2.5" onClick={() => set(whole, { field: free })}>
              {t("ui.imports.usePart", { field: labelOf(free) })}
            </Button>
          )}
        </Alert>
      )}
      {columns.map((column, at) =>
        column.ambiguousNumbers ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: columns never move, and their names need not differ
          <Alert key={at} kind="warning" className="mx-5 mb-4">
            <p>{t("ui.imports.whichMark", { column: nameOf(column, at), sample: column.samples[0] ?? "" })}</p>
            <div className="mt-2.5 flex flex-wrap gap-2">
              {(["point", "comma"] as const).map((decimalMark) => (
                <Button key={decimalMark} size="sm" onClick={() => change.mutate({ decimalMark })}>
                  {t(`ui.imports.whichMarks.${decimalMark}`)}
                </Button>
              ))}
            </div>
          </Alert>
        ) : null,
      )}
      {change.error && !isNamed && (
        <Alert kind="error" className="mx-5 mb-4">
          {fieldError(change.error, "columns") ?? errorText(change.error)}
        </Alert>
      )}
      {fields ? (
        <ul aria-label={t("ui.imports.steps.columns")}>
          {columns.map((column, at) => (
            <ColumnRow
              // biome-ignore lint/suspicious/noArrayIndexKey: columns never move, and their names need not differ
              key={at}
              column={column}
              at={at}
              kind={plan.kind}
              fields={fields}
              users={users}
              mayDefine={mayDefine}
              error={errorOf(at)}
              onTarget={(target) => set(at, target)}
              onDefine={() => set(at, { newField: { name: nameOf(column, at), type: guessType(column.samples) } })}
              onValues={(values) => setValues(at, values)}
              onLabel={(label) => set(at, { ...(column.field && { field: column.field }) }, label)}
            />
          ))}
        </ul>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <SkeletonRows rows={4} className="p-5" />
      )}
    </Step>
  );
}
