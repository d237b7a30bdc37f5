import { Pencil, Tags, Trash2, X } from "lucide-react";
import { type FormEvent, type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { CustomField, NewBulkChange } from "@/api/schema";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { Dialog } from "@/components/dialog";
import { IconButton } from "@/components/icon-button";
import { useDiscardGuard } from "@/components/leave-guard";
import { Select } from "@/components/select";
import { TagsField } from "@/components/tags-field";
import { useMay } from "@/features/account/data";
import { useFields } from "@/features/fields/data";
import { ValueInput } from "@/features/fields/value-input";
import { focusReturnFrames } from "@/lib/focus-frames";
import { formatNumber } from "@/lib/format";
import { useEscapeOnPage } from "@/lib/keys";
import { recordKinds } from "@/records/kinds";
import type { ColumnInfo } from "@/records/list/columns";
import { BulkProgress } from "./bulk-progress";
import { startBulkChange } from "./bulk-work";
import type { AnyList } from "./use-list";
import type { Selection } from "./use-selection";

type Asked = Pick<NewBulkChange, "change" | "addTags" | "removeTags" | "remove">;

/** Records from which on a deletion is confirmed. */
const confirmedFrom = 101;

/** A column as the input for values takes it. */
const asField = ({ id, label, type, choices = [], target }: ColumnInfo) =>
  ({
    id,
    key: id,
    name: label,
    type,
    choices: choices.filter(({ isGone }) => !isGone),
    ...(target && { target: recordKinds[target].name }),
  }) as CustomField;

interface ChangeDialogProps {
  title: string;
  error: unknown;
  busy: boolean;
  onApply: (asked: Asked) => void;
  onClose: () => void;
}

function ApplyDialog({
  title,
  error,
  busy,
  disabled,
  isChanged,
  onSubmit,
  onClose,
  children,
}: Omit<ChangeDialogProps, "onApply"> & { disabled: boolean; isChanged: boolean; onSubmit: () => void; children: ReactNode }) {
  const { t } = useTranslation();
  const { close, question } = useDiscardGuard(isChanged, onClose);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Dialog
      title={title}
      isOpen
      onOpenChange={close}
      footer={
        <>
          <Button onClick={close}>{t("ui.action.cancel")}</Button>
          <Button variant="primary" type="submit" form="bulk" busy={busy} disabled={disabled}>
            {t("ui.list.bulk.apply")}
          </Button>
        </>
      }
    >
      <form id="bulk" className="grid grid-cols-1 gap-4" onSubmit={submit}>
        {error !== undefined && <Alert kind="error">{errorText(error)}</Alert>}
        {children}
      </form>
      {question}
    </Dialog>
  );
}

/** Sets one field of the selected records. */
function FieldDialog({ list, onApply, ...dialog }: ChangeDialogProps & { list: AnyList }) {
  const { t } = useTranslation();
  const custom = useFields(list.kind);
  const own = list.columns.filter(({ inBulk }) => inBulk).map(asField);
  const fields = [...own, ...custom];
  const [chosen, setChosen] = useState(fields[0]?.id ?? "");
  const field = fields.find(({ id }) => id === chosen);
  const isOwn = own.some(({ id }) => id === chosen);
  const column = list.columns.find(({ id }) => id === chosen);
  /** Whether nothing is set until one of its values is chosen; a field that is typed in is emptied without a value. */
  const isChosenFrom = field?.type === "choice" || field?.type === "member" || column?.bulkInput !== undefined;
  const mayBeEmpty = column?.inBulk !== "required";
  /** A typed value is saved when its field is left, in the same moment in which the form is sent. */
  const latest = useRef<unknown>(undefined);
  /** Undefined until one was chosen, which may be none. */
  const [value, setValue] = useState<unknown>();
  const set = (next: unknown) => {
    latest.current = next;
    setValue(next);
  };
  const isMissing = (of: unknown) =>
    field?.type !== "checkbox" && ((isChosenFrom && of === undefined) || (!mayBeEmpty && (of ?? null) === null));
  const apply = () => {
    const next = latest.current ?? null;
    if (!field || isMissing(latest.current)) return;
    if (column?.bulkChange) return onApply({ change: column.bulkChange(next) });
    const chosenValue = field.type === "checkbox" ? next === true : next;
    const values = { [field.key]: typeof chosenValue === "string" && column?.bulkValue ? column.bulkValue(chosenValue) : chosenValue };
    onApply({ change: isOwn ? values : { fields: values } });
  };
  return (
    <ApplyDialog {...dialog} disabled={!field || isMissing(value)} isChanged={value !== undefined} onSubmit={apply}>
      <Select
        label={t("ui.list.bulk.field")}
        value={chosen}
        onChange={(id) => {
          setChosen(id);
          set(undefined);
        }}
        options={fields.map(({ id, name }) => ({ value: id, label: name }))}
      />
      {field &&
        (column?.bulkInput?.(set) ?? (
          <ValueInput
            key={field.id}
            field={field}
            value={value}
            error={undefined}
            disabled={false}
            isRequired={!mayBeEmpty}
            isUnset={value === undefined}
            onSave={set}
          />
        ))}
      {mayBeEmpty && !isChosenFrom && (value ?? null) === null && field?.type !== "checkbox" && (
        <p className="text-sm text-muted">{t("ui.list.bulk.empties")}</p>
      )}
    </ApplyDialog>
  );
}

/** Adds tags to the selected records, and takes tags away. */
function TagsDialog({ onApply, ...dialog }: ChangeDialogProps) {
  const { t } = useTranslation();
  const [addTags, setAdd] = useState<string[]>([]);
  const [removeTags, setRemove] = useState<string[]>([]);
  /** Whether there is text in either field, which becomes a tag when the field is left, as by pressing the button. */
  const [isTypedIn, setTypedIn] = useState({ add: false, remove: false });
  const hasTags = addTags.length + removeTags.length > 0 || isTypedIn.add || isTypedIn.remove;
  return (
    <ApplyDialog
      {...dialog}
      disabled={!hasTags}
      isChanged={hasTags}
      onSubmit={() => {
        if (addTags.length + removeTags.length === 0) return;
        onApply({ ...(addTags.length > 0 && { addTags }), ...(removeTags.length > 0 && { removeTags }) });
      }}
    >
      <TagsField
        autoFocus
        label={t("ui.list.bulk.addTags")}
        value={addTags}
        onChange={setAdd}
        onTyped={(add) => setTypedIn((one) => ({ ...one, add }))}
      />
      <TagsField
        label={t("ui.list.bulk.removeTags")}
        value={removeTags}
        onChange={setRemove}
        onTyped={(remove) => setTypedIn((one) => ({ ...one, remove }))}
      />
    </ApplyDialog>
  );
}

export interface BulkBarProps {
  list: AnyList;
  selection: Selection;
  /** The number of all records that match. */
  total: number;
  /** What deleting does to other records; without it, few records are deleted without a question. */
  deleteText?: string | undefined;
}

/** What is done with the selected records of a list. */
export function BulkBar({ list, selection, total, deleteText }: BulkBarProps) {
  const { t } = useTranslation();
  const { name } = recordKinds[list.kind];
  const mayDelete = useMay(`${name}.delete_own`);
  const [open, setOpen] = useState<"fields" | "tags" | "delete">();
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const bar = useRef<HTMLElement>(null);
  /** Ends the selection. The bar goes with its focus, which then is on the first row in sight; the page stays where it is. */
  const end = () => {
    const rows = [...(bar.current?.parentElement?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
    const row = rows.find((one) => one.getBoundingClientRect().top >= 0);
    const { scrollX, scrollY } = window;
    const hold = (frame: number) =>
      requestAnimationFrame(() => {
        if (frame === focusReturnFrames) row?.focus({ preventScroll: true });
        window.scrollTo(scrollX, scrollY);
        if (frame < focusReturnFrames) hold(frame + 1);
      });
    selection.clear();
    hold(0);
  };
  const hasBar = !selection.isEmpty;
  useEscapeOnPage(hasBar ? () => (bar.current?.contains(document.activeElement) ? end() : selection.clear()) : undefined);
  if (!hasBar) return <BulkProgress />;
  const count = selection.isAll ? total : selection.ids.length;
  const chosen = t("ui.list.bulk.selected", { count, total: formatNumber(count) });
  const hasTags = list.columns.some(({ type }) => type === "tags");

  const apply = async (asked: Asked) => {
    const { filter, q } = list.request;
    const which = selection.isAll ? { filter, ...(q && { q }) } : { ids: selection.ids };
    setBusy(true);
    setError(undefined);
    try {
      await startBulkChange({ kind: name, ...which, ...asked });
      setOpen(undefined);
      end();
    } catch (refusal) {
      setError(refusal);
    }
    setBusy(false);
  };
  const show = (what: typeof open) => {
    setError(undefined);
    setOpen(what);
  };
  const remove = () => void apply({ remove: true });
  const dialog = { title: chosen, error, busy, onApply: (asked: Asked) => void apply(asked), onClose: () => setOpen(undefined) };
  return (
    <section
      ref={bar}
      aria-label={t("ui.list.bulk.title")}
      className="no-print sticky bottom-0 z-20 flex flex-wrap items-center gap-2 rounded-b-[inherit] border-t border-line bg-surface px-4 py-3 shadow-panel"
    >
      <p aria-live="polite" className="mr-1 font-medium text-ink tabular-nums">
        {chosen}
      </p>
      {!selection.isAll && total > selection.ids.length && (
        <Button variant="ghost" size="sm" onClick={selection.selectAll}>
          {t("ui.list.bulk.selectAll", { count: total, total: formatNumber(total) })}
        </Button>
      )}
      <Button icon={Pencil} size="sm" data-bulk onClick={() => show("fields")}>
        {t("ui.list.bulk.change")}
      </Button>
      {hasTags && (
        <Button icon={Tags} size="sm" onClick={() => show("tags")}>
          {t("ui.list.bulk.tags")}
        </Button>
      )}
      {mayDelete && (
        <Button
          icon={Trash2}
          size="sm"
          busy={busy && !open}
          onClick={() => (count < confirmedFrom && !deleteText ? remove() : show("delete"))}
        >
          {t("ui.action.delete")}
        </Button>
      )}
      <IconButton icon={X} label={t("ui.list.bulk.clear")} className="ml-auto" onClick={end} />
      {error !== undefined && open !== "fields" && open !== "tags" && (
        <Alert kind="error" className="w-full">
          {errorText(error)}
        </Alert>
      )}
      {open === "fields" && <FieldDialog list={list} {...dialog} />}
      {open === "tags" && <TagsDialog {...dialog} />}
      <ConfirmDialog
        title={t("ui.list.bulk.deleteTitle", { count, total: formatNumber(count) })}
        text={[t("ui.list.bulk.deleteText"), deleteText].filter(Boolean).join(" ")}
        confirm={t("ui.action.delete")}
        isOpen={open === "delete"}
        onOpenChange={(isOpen) => !isOpen && setOpen(undefined)}
        onConfirm={remove}
      />
    </section>
  );
}
