import { ChevronDown, CircleAlert, X } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { useTranslation } from "react-i18next";
import { Popover } from "@/components/popover";
import { cx } from "@/lib/cx";
import { asStep } from "@/lib/use-address";
import type { ColumnInfo } from "@/records/list/columns";
import { type Condition, type FilterEntry, filtersOf } from "@/records/list/conditions";
import { maxFilters } from "@/records/list/filters";
import { FilterEditor } from "./filter-editor";
import { useConditionText } from "./use-condition-text";
import type { AnyList } from "./use-list";

export function ConditionText({ column, condition }: { column: ColumnInfo; condition: Condition }) {
  return useConditionText(column, condition);
}

function Chip({
  isActive,
  onRemove,
  removeLabel,
  children,
}: {
  isActive: boolean;
  onRemove: () => void;
  removeLabel: string;
  children: ReactNode;
}) {
  return (
    <span
      data-item
      className={cx(
        "inline-flex min-h-8.5 max-w-60 min-w-0 items-center rounded-lg max-sm:max-w-full border text-sm font-medium shadow-control transition-colors duration-150",
        isActive ? "border-tint-line bg-tint-soft text-on-tint" : "border-line bg-surface text-gray-700 hover:bg-hover",
      )}
    >
      {children}
      {isActive && (
        <button
          type="button"
          aria-label={removeLabel}
          onClick={onRemove}
          className="fingertip relative mr-1 grid size-6 pointer-coarse:mr-2 shrink-0 place-items-center rounded-md hover:bg-tint"
        >
          <X aria-hidden size={14} />
        </button>
      )}
    </span>
  );
}

interface ChipContent {
  list: AnyList;
  column: ColumnInfo;
  /** Undefined for a column that the list is not filtered by yet. */
  entry: FilterEntry | undefined;
  /** The place of its first filter among those of the list. */
  at: number;
}

interface OpenEditorProps extends ChipContent {
  onApply: (texts: string[]) => void;
  onDone: () => void;
}

function OpenEditor({ list, column, entry, at, onApply, onDone }: OpenEditorProps) {
  /** The filters that the editor has applied. Its first change is a step of the history. */
  const applied = useRef({ texts: entry?.texts ?? [], isFirst: true });
  const apply = (condition: Condition | undefined): boolean => {
    const { texts, isFirst } = applied.current;
    const next = condition ? filtersOf(condition) : [];
    if (next.join("\n") === texts.join("\n")) return true;
    if (list.state.filters.length - texts.length + next.length > maxFilters) return false;
    list.replaceFilters(at, texts, next, isFirst ? asStep : undefined);
    applied.current = { texts: next, isFirst: false };
    onApply(next);
    return true;
  };
  return <FilterEditor column={column} condition={entry?.condition} onApply={apply} onDone={onDone} />;
}

export interface FilterChipProps extends ChipContent {
  /** The name by which the bar finds its button. */
  name: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  /** Tells which filters the editor made of it. */
  onApply: (texts: string[]) => void;
}

/** A filter of a list: "Status is Lead". A press edits it. */
export function FilterChip({ name, list, column, entry, at, isOpen, onOpenChange, onApply }: FilterChipProps) {
  const { t } = useTranslation();
  const trigger = useRef<HTMLButtonElement>(null);
  const label = t("ui.list.filters.edit", { label: column.label });
  return (
    <Chip
      isActive={entry !== undefined}
      removeLabel={t("ui.list.clearFilter", { label: column.label })}
      onRemove={() => {
        list.replaceFilters(at, entry?.texts ?? [], [], asStep);
        trigger.current?.focus();
      }}
    >
      <button
        ref={trigger}
        data-chip={name}
        type="button"
        aria-haspopup="dialog"
        aria-label={entry ? undefined : label}
        aria-expanded={isOpen}
        onClick={() => onOpenChange(true)}
        className={cx("touchable inline-flex min-h-8 min-w-0 items-center gap-1.5 rounded-lg px-2.75", entry && "pr-1.5")}
      >
        <span className="truncate">{entry?.condition ? <ConditionText column={column} condition={entry.condition} /> : column.label}</span>
        {!entry && <ChevronDown aria-hidden size={14} className="text-muted" />}
      </button>
      <Popover
        triggerRef={trigger}
        isOpen={isOpen}
        onOpenChange={onOpenChange}
        placement="bottom start"
        className="w-84 max-sm:w-[calc(100vw-1rem)]"
      >
        <Dialog aria-label={label} className="min-h-0 overflow-y-auto outline-none">
          <OpenEditor list={list} column={column} entry={entry} at={at} onApply={onApply} onDone={() => onOpenChange(false)} />
        </Dialog>
      </Popover>
    </Chip>
  );
}

/** A filter that cannot be applied, to be removed. */
export function UnavailableChip({ list, entry, at }: { list: AnyList; entry: FilterEntry; at: number }) {
  const { t } = useTranslation();
  const label = t("ui.list.filters.gone");
  return (
    <Chip isActive removeLabel={t("ui.list.clearFilter", { label })} onRemove={() => list.replaceFilters(at, entry.texts, [], asStep)}>
      <span
        className="inline-flex items-center gap-1.5 px-2.75 pr-1.5 text-warn"
        title={t("ui.list.filters.goneHint", { filter: entry.texts.join(" ") })}
      >
        <CircleAlert aria-hidden size={16} />
        {label}
      </span>
    </Chip>
  );
}
