import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Pencil, Plus, TextCursorInput, Trash2, Undo2 } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { CustomField } from "@/api/schema";
import { Button } from "@/components/button";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { ago } from "@/lib/format";
import { toast } from "@/lib/toast";
import { type CreatedKind, createdKinds, kindAt, recordKinds } from "@/records/kinds";
import { fieldsQuery, removedFieldsQuery, useFieldCalls } from "./data";
import { FieldDialog } from "./field-dialog";

/** The custom fields of each kind of record, for administrators. */
export function FieldsSection() {
  const { t } = useTranslation();
  const [kind, setKind] = useState<CreatedKind>("customer");
  const { data, error, refetch } = useQuery(fieldsQuery);
  const { data: allRemoved } = useQuery(removedFieldsQuery);
  const { move, remove, restore } = useFieldCalls();
  const [edited, setEdited] = useState<CustomField | "new">();
  const { name } = recordKinds[kind];
  const fields = (data ?? []).filter((field) => field.kind === name);
  const removed = (allRemoved ?? []).filter((field) => field.kind === name);
  const undo = (field: CustomField) =>
    // Also from another screen, where the callbacks of this one no longer run.
    void restore.mutateAsync(field.id).then(
      () => toast.success(t("ui.fields.restored", { name: field.name })),
      () => undefined,
    );
  /** What a field accepts besides its type. */
  const about = ({ choices, target }: CustomField): string[] => {
    const kindOfTarget = kindAt(target);
    const shownTarget = kindOfTarget ? [t(`navigation.${recordKinds[kindOfTarget].name}`)] : [];
    return choices.length > 0 ? [choices.map((choice) => choice.name).join(", ")] : shownTarget;
  };
  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} className="p-5" />;
    if (fields.length === 0) return <EmptyState icon={TextCursorInput} title={t("ui.fields.empty")} text={t("ui.fields.emptyText")} />;
    return (
      <ul aria-label={t("ui.settings.sections.fields")} className="border-t border-line">
        {fields.map((field, at) => (
          <li key={field.id} data-item className="flex flex-wrap items-center border-b border-hover py-2 pr-3 pl-5 last:border-0 sm:pl-6">
            <div className="min-w-40 flex-1">
              <p dir="auto" className="truncate font-medium text-ink" title={field.name}>
                {field.name}
              </p>
              <p className="truncate text-sm text-muted">{[t(`ui.fields.types.${field.type}`), ...about(field)].join(" · ")}</p>
            </div>
            <div className="-ml-2 flex gap-1">
              <IconButton
                label={t("ui.fields.up", { name: field.name })}
                icon={ArrowUp}
                size="sm"
                disabled={at === 0}
                onClick={() => move.mutate({ id: field.id, place: at - 1 })}
              />
              <IconButton
                label={t("ui.fields.down", { name: field.name })}
                icon={ArrowDown}
                size="sm"
                disabled={at === fields.length - 1}
                onClick={() => move.mutate({ id: field.id, place: at + 1 })}
              />
              <IconButton label={t("ui.fields.editNamed", { name: field.name })} icon={Pencil} size="sm" onClick={() => setEdited(field)} />
              <IconButton
                label={t("ui.fields.removeNamed", { name: field.name })}
                icon={Trash2}
                tone="danger"
                size="sm"
                onClick={() =>
                  remove.mutate(field.id, {
                    onSuccess: () =>
                      toast.success(t("ui.fields.removed", { name: field.name }), { label: t("ui.action.undo"), run: () => undo(field) }),
                  })
                }
              />
            </div>
          </li>
        ))}
      </ul>
    );
  };
  return (
    <Card
      flush
      title={t("ui.settings.sections.fields")}
      subtitle={t("ui.fields.lead")}
      actions={
        data && (
          <Button size="sm" icon={Plus} onClick={() => setEdited("new")}>
            {t("ui.fields.add")}
          </Button>
        )
      }
      className="sm:[&>header]:px-6"
    >
      <div className="overflow-x-auto px-5 pb-4 sm:px-6">
        <Segmented
          label={t("ui.fields.kind")}
          value={kind}
          onChange={setKind}
          options={createdKinds.map((one) => ({ value: one.kind, label: t(`navigation.${one.name}`) }))}
        />
      </div>
      {content()}
      {removed.length > 0 && (
        <section className="border-t border-line px-5 pt-3 pb-4 sm:px-6">
          <h3 className="text-sm font-semibold text-ink">{t("ui.fields.removedTitle")}</h3>
          <p className="text-sm text-muted">{t("ui.fields.removedText")}</p>
          <ul className="mt-2">
            {removed.map((field) => (
              <li key={field.id} className="flex min-h-10 items-center gap-3">
                <span dir="auto" className="min-w-0 flex-1 truncate">
                  {field.name}
                  {field.removedAt && (
                    <span className="text-sm text-muted">{` · ${t("ui.bin.removed", { ago: ago(field.removedAt) })}`}</span>
                  )}
                </span>
                <Button size="sm" icon={Undo2} onClick={() => undo(field)}>
                  {t("ui.bin.restore")}
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {edited && <FieldDialog kind={kind} field={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />}
    </Card>
  );
}
