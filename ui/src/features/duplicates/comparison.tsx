import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeftRight, ChevronDown } from "lucide-react";
import { type ReactNode, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { RecordOf } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { TagList } from "@/components/tag-list";
import { useMayDelete } from "@/features/account/may-delete";
import { useFieldOf, useFields } from "@/features/fields/data";
import { useFieldLabel } from "@/features/fields/field-text";
import { useFieldValue } from "@/features/records/use-field-value";
import { cx } from "@/lib/cx";
import { mediumDate } from "@/lib/format";
import { useAtLeast } from "@/lib/media";
import { isStale } from "@/records/conflicts";
import { recordQuery } from "@/records/data";
import type { Field } from "@/records/fields";
import { cardOf } from "@/records/record-titles";
import { useMerge } from "./data";
import { distinctTitles, distinguish } from "./distinct-titles";
import type { MergeDialogProps } from "./merge-dialog";
import { type Chosen, fullerRecord, isSame, type MergeField, mergeFields, toChoice, usualChoice } from "./merge-fields";
import { followMerge } from "./merge-work";

type Shown = RecordOf<MergeDialogProps["kind"]>;
type Show = (field: MergeField, value: unknown, link?: unknown) => ReactNode;

const frame =
  "flex min-w-0 cursor-pointer gap-2.5 rounded-control border p-3 transition-colors has-focus-visible:outline-2 has-focus-visible:outline-primary";
const frameLook = (isChosen: boolean) => (isChosen ? "border-primary bg-tint-soft" : "border-line-strong hover:bg-sunken");
const radio = "mt-0.5 size-4 shrink-0 accent-primary focus-visible:outline-none";

/** Returns the fields of a kind with the custom ones of the company. */
function useMergeFields(kind: MergeDialogProps["kind"]): MergeField[] {
  const custom = useFields(kind);
  const fieldOf = useFieldOf(kind);
  const described = custom.flatMap((field) => {
    const found = fieldOf(`fields.${field.key}`);
    return found ? [{ field, described: found }] : [];
  });
  const externalId: Field = { label: "ui.duplicates.externalId", type: "text" };
  return mergeFields(kind, described, externalId);
}

/** Returns a function that shows a value as the screens of the record do. */
function useShow(): Show {
  const show = useFieldValue();
  return ({ field }, value, link) => {
    if (field.type === "tags" && Array.isArray(value)) return <TagList tags={value.map(String)} max={value.length} />;
    return show(field, value, link);
  };
}

interface SideProps {
  record: Shown;
  isKept: boolean;
  name: string;
  onKeep: () => void;
}

/** One of the two records, and whether it is the one that is kept. */
function Side({ record, isKept, name, onKeep }: SideProps) {
  const { t } = useTranslation();
  const { title, subtitle, avatar } = cardOf(record);
  return (
    <label className={cx(frame, "items-center", frameLook(isKept), !isKept && "bg-surface")}>
      <input type="radio" name={name} checked={isKept} onChange={onKeep} className={cx(radio, "mt-0")} />
      <Avatar name={title} src={avatar} size={36} className="max-sm:hidden" />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate font-semibold text-ink" title={title}>
          {title}
        </span>
        <span className="block truncate text-sm text-muted">
          {[subtitle, t("ui.duplicates.addedOn", { day: mediumDate(record.createdAt) })].filter(Boolean).join(" · ")}
        </span>
        <span className={cx("block text-sm font-medium", isKept ? "text-on-tint" : "text-muted")}>
          {t(isKept ? "ui.duplicates.isKept" : "ui.duplicates.goesToBin")}
        </span>
      </span>
    </label>
  );
}

interface FieldChoiceProps {
  field: MergeField;
  label: string;
  records: readonly [Shown, Shown];
  kept: Shown;
  titleOf: (record: Shown) => string;
  chosen: Chosen;
  onChoose: (chosen: Chosen) => void;
  show: Show;
}

/** The values that two records have of a field, to choose from. */
function FieldChoice({ field, label, records, kept, titleOf, chosen, onChoose, show }: FieldChoiceProps) {
  const { t } = useTranslation();
  const name = useId();
  const isName = field.paths[0] === "name";
  const duplicate = records[0] === kept ? records[1] : records[0];
  const values = [field.read(kept), field.read(duplicate)];
  const both = field.unite && values.every((value) => value !== undefined) ? field.unite(values[0], values[1]) : undefined;
  const option = (id: Chosen, title: string | undefined, value: ReactNode, className?: string) => (
    <label key={id} className={cx(frame, frameLook(chosen === id), className)}>
      <input type="radio" name={name} checked={chosen === id} onChange={() => onChoose(id)} className={radio} />
      <span className="min-w-0 flex-1">
        {title && (
          <span dir="auto" className={cx("block truncate text-sm text-muted", id !== "both" && (isName ? "sr-only" : "sm:sr-only"))}>
            {title}
          </span>
        )}
        <span dir="auto" className="block whitespace-pre-line text-ink [overflow-wrap:anywhere]">
          {value || <span className="text-muted">{t("ui.versions.empty")}</span>}
        </span>
      </span>
    </label>
  );
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1.5 text-sm font-semibold text-ink">{label}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        {records.map((record) => option(record.id, titleOf(record), show(field, field.read(record), field.readLink?.(record))))}
        {both !== undefined &&
          (field.field.type === "html"
            ? option("both", undefined, t("ui.duplicates.bothNotes"), "sm:col-span-2")
            : option("both", t("ui.duplicates.both"), show(field, both), "sm:col-span-2"))}
      </div>
    </fieldset>
  );
}

/** The fields with the same value in both records, folded away. */
function SameFields({ fields, record, show }: { fields: MergeField[]; record: Shown; show: Show }) {
  const { t } = useTranslation();
  const label = useFieldLabel();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="mt-5 border-t border-line pt-3">
      <Button size="sm" variant="ghost" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)} className="-ml-2.75">
        <ChevronDown aria-hidden size={16} className={cx("transition-transform duration-150", isOpen && "rotate-180")} />
        {t("ui.duplicates.same", { count: fields.length })}
      </Button>
      <dl id={id} hidden={!isOpen} className="mt-2 grid grid-cols-1 gap-3 sm:grid-cols-2">
        {fields.map((field) => (
          <div key={field.paths.join()} className="min-w-0">
            <dt className="text-sm text-muted">{label(field.field)}</dt>
            <dd dir="auto" className="whitespace-pre-line text-ink [overflow-wrap:anywhere]">
              {show(field, field.read(record), field.readLink?.(record))}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

interface ComparisonOptions extends Omit<MergeDialogProps, "id" | "otherId"> {
  /** Undefined until both have been read. */
  records: readonly [Shown, Shown] | undefined;
}

/**
 * Returns two records side by side for a dialog: which one is kept, what is kept of each field, what follows, and the
 * buttons. Nothing until both have been read.
 */
export function useComparison({ kind, records, onClose, onMerge, onRefused, onMerged }: ComparisonOptions) {
  const { t } = useTranslation();
  const name = useId();
  const label = useFieldLabel();
  const show = useShow();
  const isPhone = !useAtLeast("sm");
  const mayDelete = useMayDelete(kind);
  const fields = useMergeFields(kind);
  const client = useQueryClient();
  const { mutate, isPending, error, reset } = useMerge(kind);
  const [keptId, setKept] = useState<string>();
  /** What was chosen, by the first path of the field: it stays when the other record is kept. */
  const [choices, setChoices] = useState<Record<string, Chosen>>({});
  const versions = records?.map(({ version }) => version).join();
  /** The versions that the member has seen. */
  const [seen, setSeen] = useState<string>();
  useEffect(() => {
    if (seen === undefined) setSeen(versions);
  }, [seen, versions]);
  if (!records) return undefined;

  const hasChanged = seen !== undefined && seen !== versions;
  const [one, other] = records;
  const removable = records.filter(mayDelete);
  // Who may delete only one of them keeps the other one.
  const usual = removable.length === 1 ? (removable[0] === one ? other : one) : fullerRecord(fields, one, other);
  const kept = records.find(({ id }) => id === keptId) ?? usual;
  const duplicate = kept === one ? other : one;
  const [keptTitle, duplicateTitle] = distinctTitles(distinguish(kept), distinguish(duplicate));
  const titles = { duplicate: duplicateTitle, kept: keptTitle };
  const isRefused = !mayDelete(duplicate);
  const filled = fields.filter(({ read }) => records.some((record) => read(record) !== undefined));
  const same = filled.filter((field) => isSame(field, one, other));
  const differing = filled.filter((field) => !same.includes(field));
  const keyOf = ({ paths }: MergeField) => paths.join();
  const chosenOf = (field: MergeField) => choices[keyOf(field)] ?? usualChoice(field, kept, duplicate);

  const merge = () => {
    setSeen(versions);
    onMerge?.(duplicate.id);
    const chosen = differing.flatMap((field) => field.paths.map((path) => [path, toChoice(chosenOf(field), kept)] as const));
    mutate(
      { keptId: kept.id, version: kept.version, duplicateId: duplicate.id, fields: Object.fromEntries(chosen) },
      {
        onSuccess: (begun) => {
          onMerged?.(begun);
          onClose();
          void followMerge(begun, keptTitle);
        },
        // Both are read again; what was chosen stays.
        onError: () => {
          onRefused?.();
          for (const { id } of records) void client.invalidateQueries({ queryKey: recordQuery(kind, id).queryKey });
        },
      },
    );
  };
  const swap = () => setKept(duplicate.id);
  const follows = <p className="w-full text-sm text-soft [overflow-wrap:anywhere]">{t(`ui.duplicates.follows.${kind}`, titles)}</p>;
  return {
    footer: (
      <>
        {!isPhone && follows}
        <Button className="max-sm:grow" onClick={onClose}>
          {t("ui.action.cancel")}
        </Button>
        <Button variant="primary" className="max-sm:grow" busy={isPending} disabled={isRefused} onClick={merge}>
          {t("ui.duplicates.merge")}
        </Button>
      </>
    ),
    content: (
      <>
        {hasChanged || isStale(error) ? (
          <Alert
            kind="warning"
            className="mb-4"
            onDismiss={() => {
              setSeen(versions);
              reset();
            }}
          >
            {t("ui.duplicates.changed")}
          </Alert>
        ) : (
          error && (
            <Alert kind="error" className="mb-4">
              {errorText(error)}
            </Alert>
          )
        )}
        {isRefused && (
          <Alert kind="warning" className="mb-4">
            {t("ui.duplicates.mayNotDelete", { title: titles.duplicate })}
          </Alert>
        )}
        <div className="z-10 -mx-5 bg-surface px-5 pb-3 sm:sticky sm:-top-1">
          <fieldset className="min-w-0">
            <legend className="sr-only">{t("ui.duplicates.keep")}</legend>
            <div className="mb-1.5 flex min-h-8.5 items-center justify-between gap-3">
              <p aria-hidden className="text-sm font-semibold text-ink">
                {t("ui.duplicates.keep")}
              </p>
              <Button size="sm" variant="ghost" icon={ArrowLeftRight} onClick={swap} className="-mr-2.75">
                {t("ui.duplicates.swap")}
              </Button>
            </div>
            <div className="grid gap-2 sm:grid-cols-2">
              {records.map((record) => (
                <Side key={record.id} record={record} isKept={record === kept} name={name} onKeep={() => setKept(record.id)} />
              ))}
            </div>
          </fieldset>
        </div>
        {differing.length > 0 ? (
          <div className="mt-2 grid grid-cols-1 gap-4.5">
            {differing.map((field) => (
              <FieldChoice
                key={keyOf(field)}
                field={field}
                label={label(field.field)}
                records={records}
                kept={kept}
                titleOf={(record) => (record === kept ? keptTitle : duplicateTitle)}
                chosen={chosenOf(field)}
                onChoose={(chosen) => setChoices((before) => ({ ...before, [keyOf(field)]: chosen }))}
                show={show}
              />
            ))}
          </div>
        ) : (
          <p className="mt-2 text-soft">{t("ui.duplicates.allSame")}</p>
        )}
        {same.length > 0 && <SameFields fields={same} record={kept} show={show} />}
        {/* The foot would take much of the screen from the fields. */}
        {isPhone && <div className="mt-5">{follows}</div>}
      </>
    ),
  };
}
