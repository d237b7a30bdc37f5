import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { Controller, useFieldArray } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { CustomerStatuses } from "@/api/schema";
import { Alert } from "@/components/alert";
import { ColourMenu } from "@/components/colour-menu";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { TextField } from "@/components/text-field";
import { colourNames } from "@/lib/colours";
import { formatNumber } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import { statusesQuery } from "@/records/statuses";
import { useSaveStatuses } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";
import { type Move, MovesDialog } from "./moves-dialog";
import { AddButton, OrderedRows } from "./ordered-rows";
import { checkMonths, RetentionField } from "./retention-field";

/** What the server accepts. */
const maxStatuses = 20;
const maxName = 60;

/** Milliseconds between two looks at customers who get another status. */
const lookMs = 2_000;

const offered = ({ statuses }: CustomerStatuses) => statuses.filter(({ replacedBy }) => replacedBy === undefined);
const toValues = (register: CustomerStatuses) => ({
  statuses: offered(register).map(({ id, name, color, retentionMonths }) => ({
    id,
    name,
    color,
    retentionMonths: String(retentionMonths ?? ""),
  })),
});
type Values = ReturnType<typeof toValues>;

/** What is new has no id yet. */
const toPatch = ({ statuses }: Values) => ({
  statuses: statuses.map(({ id, name, color, retentionMonths: months }) => ({
    ...(id && { id }),
    name: name.trim(),
    color,
    ...(months.trim() && { retentionMonths: Number(months) }),
  })),
});
type Patch = ReturnType<typeof toPatch> & { moves: Move[] };

function useConflictFields(): ConflictField<Values>[] {
  const { t } = useTranslation();
  return [
    {
      names: ["statuses"],
      label: t("ui.settings.statuses.statuses"),
      show: ({ statuses }) =>
        statuses
          .map(({ name, color, retentionMonths: months }) => {
            const kept = months && t("ui.audit.months", { count: Number(months), total: formatNumber(Number(months)) });
            return `${name} (${[t(`ui.events.colors.${color}`), kept].filter(Boolean).join(", ")})`;
          })
          .join("\n"),
    },
  ];
}

/** The statuses of customers. */
export function StatusesCard({ onDirty }: { onDirty: ReportDirty }) {
  const { data, error, refetch } = useQuery({
    ...statusesQuery,
    refetchInterval: ({ state }) => (state.data?.statuses.some(({ replacedBy }) => replacedBy) ? lookMs : false),
  });
  if (data) return <StatusesForm register={data} onDirty={onDirty} />;
  return (
    <div className="rounded-2xl border border-line bg-surface p-5 shadow-card">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />}
    </div>
  );
}

/** How many customers still have statuses that were removed. */
function Replaced({ register: { statuses } }: { register: CustomerStatuses }) {
  const { t } = useTranslation();
  const replaced = statuses.filter(({ replacedBy }) => replacedBy !== undefined);
  return (
    <div role="status">
      {replaced.map(({ id, name, customers, replacedBy }) => (
        <Alert key={id} kind="info" className="mb-2">
          {t("ui.settings.statuses.moving", {
            count: customers,
            number: formatNumber(customers),
            name,
            to: statuses.find((status) => status.id === replacedBy)?.name ?? "",
          })}
        </Alert>
      ))}
    </div>
  );
}

function StatusesForm({ register: saved, onDirty }: { register: CustomerStatuses; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mutation = useSaveStatuses(saved.version);
  /** A change that removes statuses with customers, which get other ones. */
  const [asked, setAsked] = useState<{ run: (moves: Move[]) => void; kept: Values["statuses"]; removed: CustomerStatuses["statuses"] }>();
  const needsMoves = (error: unknown) => error instanceof ApiError && error.fields.moves !== undefined;
  const latest = useRef<Values>(undefined);
  const save = {
    mutate: (patch: Partial<Patch>, callbacks: { onSuccess: (saved: CustomerStatuses) => void; onError: (error: Error) => void }) => {
      const statuses = patch.statuses ?? toPatch(toValues(saved)).statuses;
      mutation.mutate(
        { ...patch, statuses },
        {
          onSuccess: callbacks.onSuccess,
          onError: (error) => {
            if (!needsMoves(error)) return callbacks.onError(error);
            const kept = latest.current?.statuses.filter(({ id }) => id) ?? [];
            const removed = offered(saved).filter(({ id, customers }) => customers > 0 && !kept.some((status) => status.id === id));
            setAsked({ kept, removed, run: (moves) => save.mutate({ ...patch, moves }, callbacks) });
          },
        },
      );
    },
    reset: mutation.reset,
    isPending: mutation.isPending,
    error: needsMoves(mutation.error) ? null : mutation.error,
  };
  const conflict = { fields: useConflictFields(), read: () => client.fetchQuery({ ...statusesQuery, staleTime: 0 }) };
  const { form, card } = useSettingsForm<Values, CustomerStatuses, Patch>({
    saved,
    toValues,
    toPatch: (values) => ({ ...toPatch(values), moves: [] }),
    save,
    onDirty,
    conflict,
  });
  const { control, register, formState } = form;
  const errors = formState.errors.statuses;
  const values = form.watch();
  latest.current = values;
  const rows = useFieldArray({ control, name: "statuses", keyName: "key" });
  const named = (name: string, { statuses }: Values) => {
    if (!name.trim()) return t("ui.form.required");
    const same = statuses.filter((one) => one.name.trim().toLocaleLowerCase() === name.trim().toLocaleLowerCase());
    return same.length < 2 || t("ui.settings.deals.twice");
  };
  const unused = colourNames.find((colour) => !values.statuses.some(({ color }) => color === colour)) ?? "gray";
  return (
    <>
      <FormCard title={t("ui.settings.statuses.title")} lead={t("ui.settings.statuses.lead")} {...card}>
        <fieldset className="min-w-0">
          <legend className="mb-2 text-sm font-medium text-gray-700">{t("ui.settings.statuses.statuses")}</legend>
          <Replaced register={saved} />
          <OrderedRows
            className="gap-4"
            onMove={rows.move}
            rows={rows.fields.map((row, at) => {
              const name = values.statuses[at]?.name || String(at + 1);
              return {
                key: row.key,
                name,
                remove: rows.fields.length > 1 ? () => rows.remove(at) : undefined,
                fields: (
                  <>
                    <Controller
                      control={control}
                      name={`statuses.${at}.color`}
                      render={({ field }) => (
                        <ColourMenu
                          label={t("ui.settings.statuses.colorOf", { name })}
                          value={field.value}
                          onChange={(colour) => colour && field.onChange(colour)}
                        />
                      )}
                    />
                    <TextField
                      label={t("ui.settings.statuses.nameAt", { number: at + 1 })}
                      hideLabel
                      autoComplete="off"
                      maxLength={maxName}
                      dir="auto"
                      className="min-w-24 flex-1"
                      error={errors?.[at]?.name?.message}
                      {...register(`statuses.${at}.name`, { validate: named })}
                    />
                    <RetentionField
                      status={values.statuses[at]?.id}
                      name={name}
                      months={values.statuses[at]?.retentionMonths ?? ""}
                      error={errors?.[at]?.retentionMonths?.message}
                      input={register(`statuses.${at}.retentionMonths`, { validate: (months) => checkMonths(t, months) })}
                    />
                  </>
                ),
              };
            })}
          />
          <AddButton
            label={t("ui.settings.statuses.add")}
            isFull={rows.fields.length >= maxStatuses}
            full={t("ui.settings.statuses.full", { max: formatNumber(maxStatuses) })}
            onAdd={() => rows.append({ id: "", name: "", color: unused, retentionMonths: "" })}
          />
          <p className="mt-1.5 text-sm text-muted">{t("ui.settings.statuses.hint")}</p>
          <p className="mt-1.5 text-sm text-muted">{t("ui.settings.statuses.retentionText")}</p>
        </fieldset>
      </FormCard>
      {asked && <MovesDialog area="statuses" {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
