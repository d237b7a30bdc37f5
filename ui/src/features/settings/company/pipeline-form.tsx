import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useFieldArray } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { ApiError } from "@/api/errors";
import type { Pipeline } from "@/api/schema";
import { ErrorState } from "@/components/error-state";
import { SkeletonRows } from "@/components/skeleton";
import { TextField } from "@/components/text-field";
import { formatNumber } from "@/lib/format";
import type { ConflictField } from "@/records/conflicts";
import { pipelineQuery } from "@/records/pipeline";
import { useSavePipeline } from "../data";
import { FormCard } from "../form-card";
import { type ReportDirty, useSettingsForm } from "../use-settings-form";
import { type Move, MovesDialog } from "./moves-dialog";
import { AddButton, OrderedRows } from "./ordered-rows";

/** What the server accepts. */
const maxStages = 20;
const maxReasons = 50;
const maxName = 60;

const closings = ["lost", "won"] as const;

const toValues = ({ stages, reasons }: Pipeline) => ({
  stages: stages.map(({ id, name, probability }) => ({ id, name, probability: String(probability) })),
  reasons: reasons.filter(({ removed }) => !removed).map(({ id, name, outcome }) => ({ id, name, outcome })),
});
type Values = ReturnType<typeof toValues>;

/** What is new has no id yet. */
const known = (id: string) => id && { id };
const toPatch = ({ stages, reasons }: Values) => ({
  stages: stages.map(({ id, name, probability }) => ({ ...known(id), name: name.trim(), probability: Number(probability) })),
  reasons: reasons.map(({ id, name, outcome }) => ({ ...known(id), name: name.trim(), outcome })),
});
type Patch = ReturnType<typeof toPatch> & { moves: Move[] };

function useConflictFields(): ConflictField<Values>[] {
  const { t } = useTranslation();
  return [
    {
      names: ["stages"],
      label: t("ui.settings.deals.stages"),
      show: ({ stages }) => stages.map(({ name, probability }) => `${name} (${probability} %)`).join("\n"),
    },
    { names: ["reasons"], label: t("ui.settings.deals.reasons"), show: ({ reasons }) => reasons.map(({ name }) => name).join("\n") },
  ];
}

/** The stages of deals and the reasons why they are won or lost. */
export function PipelineCard({ onDirty }: { onDirty: ReportDirty }) {
  const { data, error, refetch } = useQuery(pipelineQuery);
  if (data) return <PipelineForm pipeline={data} onDirty={onDirty} />;
  return (
    <div className="rounded-2xl border border-line bg-surface p-5 shadow-card">
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />}
    </div>
  );
}

function PipelineForm({ pipeline, onDirty }: { pipeline: Pipeline; onDirty: ReportDirty }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const mutation = useSavePipeline(pipeline.version);
  /** A change that removes stages with deals, which must go to other ones. */
  const [asked, setAsked] = useState<{ run: (moves: Move[]) => void; kept: Values["stages"]; removed: Pipeline["stages"] }>();
  const needsMoves = (error: unknown) => error instanceof ApiError && error.fields.moves !== undefined;
  const latest = useRef<Values>(undefined);
  const save = {
    mutate: (patch: Partial<Patch>, callbacks: { onSuccess: (saved: Pipeline) => void; onError: (error: Error) => void }) =>
      mutation.mutate(patch, {
        onSuccess: callbacks.onSuccess,
        onError: (error) => {
          if (!needsMoves(error)) return callbacks.onError(error);
          const kept = latest.current?.stages.filter(({ id }) => id) ?? [];
          const removed = pipeline.stages.filter(({ id }) => !kept.some((stage) => stage.id === id));
          setAsked({ kept, removed, run: (moves) => save.mutate({ ...patch, moves }, callbacks) });
        },
      }),
    reset: mutation.reset,
    isPending: mutation.isPending,
    error: needsMoves(mutation.error) ? null : mutation.error,
  };
  const conflict = { fields: useConflictFields(), read: () => client.fetchQuery({ ...pipelineQuery, staleTime: 0 }) };
  const { form, card } = useSettingsForm<Values, Pipeline, Patch>({
    saved: pipeline,
    toValues,
    toPatch: (values) => ({ ...toPatch(values), moves: [] }),
    save,
    onDirty,
    conflict,
  });
  const { control, register, formState } = form;
  const { errors } = formState;
  const values = form.watch();
  latest.current = values;
  const stages = useFieldArray({ control, name: "stages", keyName: "key" });
  const reasons = useFieldArray({ control, name: "reasons", keyName: "key" });
  const named = (name: string, other: string[]) => {
    if (!name.trim()) return t("ui.form.required");
    const same = other.filter((one) => one.trim().toLocaleLowerCase() === name.trim().toLocaleLowerCase());
    return same.length < 2 || t("ui.settings.deals.twice");
  };
  const percent = (text: string) => (/^\d{1,3}$/.test(text.trim()) && Number(text) <= 100) || t("ui.settings.deals.percent");
  return (
    <>
      <FormCard title={t("ui.settings.deals.title")} lead={t("ui.settings.deals.lead")} {...card}>
        <fieldset className="min-w-0">
          <legend className="mb-2 text-sm font-medium text-gray-700">{t("ui.settings.deals.stages")}</legend>
          <OrderedRows
            className="max-sm:gap-4"
            onMove={stages.move}
            rows={stages.fields.map((row, at) => ({
              key: row.key,
              name: values.stages[at]?.name || String(at + 1),
              remove: stages.fields.length > 1 ? () => stages.remove(at) : undefined,
              fields: (
                <>
                  <TextField
                    label={t("ui.settings.deals.stageAt", { number: at + 1 })}
                    hideLabel
                    autoComplete="off"
                    maxLength={maxName}
                    dir="auto"
                    className="min-w-0 flex-1 max-sm:basis-full sm:min-w-44"
                    error={errors.stages?.[at]?.name?.message}
                    {...register(`stages.${at}.name`, {
                      validate: (text, all) =>
                        named(
                          text,
                          all.stages.map((one) => one.name),
                        ),
                    })}
                  />
                  <div className="relative w-21">
                    <TextField
                      label={t("ui.settings.deals.probabilityAt", { number: at + 1 })}
                      hideLabel
                      inputMode="numeric"
                      autoComplete="off"
                      maxLength={3}
                      error={errors.stages?.[at]?.probability?.message}
                      {...register(`stages.${at}.probability`, { validate: percent })}
                    />
                    <span aria-hidden className="pointer-events-none absolute top-2.75 right-3 text-muted">
                      {"%"}
                    </span>
                  </div>
                </>
              ),
            }))}
          />
          <AddButton
            label={t("ui.settings.deals.addStage")}
            isFull={stages.fields.length >= maxStages}
            full={t("ui.settings.deals.fullStages", { max: formatNumber(maxStages) })}
            onAdd={() => stages.append({ id: "", name: "", probability: "50" })}
          />
          <p className="mt-1.5 text-sm text-muted">{t("ui.settings.deals.probabilityHint")}</p>
        </fieldset>
        {closings.map((outcome) => {
          const rows = reasons.fields.flatMap((row, at) => (row.outcome === outcome ? [{ row, at }] : []));
          return (
            <fieldset key={outcome} className="min-w-0 border-t border-line pt-5">
              <legend className="float-left mb-2 w-full text-sm font-medium text-gray-700">{t(`ui.settings.deals.${outcome}`)}</legend>
              <OrderedRows
                className="clear-both"
                // The reasons of both outcomes are in one list.
                onMove={(from, to) => {
                  const before = rows[from];
                  const after = rows[to];
                  if (before && after) reasons.move(before.at, after.at);
                }}
                rows={rows.map(({ row, at }, place) => ({
                  key: row.key,
                  name: values.reasons[at]?.name || String(place + 1),
                  remove: () => reasons.remove(at),
                  fields: (
                    <TextField
                      label={t("ui.settings.deals.reasonAt", { number: place + 1 })}
                      hideLabel
                      autoComplete="off"
                      maxLength={maxName}
                      dir="auto"
                      className="min-w-0 flex-1"
                      error={errors.reasons?.[at]?.name?.message}
                      {...register(`reasons.${at}.name`, {
                        validate: (text, all) =>
                          named(
                            text,
                            all.reasons.filter((one) => one.outcome === outcome).map((one) => one.name),
                          ),
                      })}
                    />
                  ),
                }))}
              />
              <AddButton
                label={t("ui.settings.deals.addReason")}
                isFull={reasons.fields.length >= maxReasons}
                full={t("ui.settings.deals.fullReasons", { max: formatNumber(maxReasons) })}
                onAdd={() => reasons.append({ id: "", name: "", outcome })}
              />
            </fieldset>
          );
        })}
      </FormCard>
      {asked && <MovesDialog area="deals" {...asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
