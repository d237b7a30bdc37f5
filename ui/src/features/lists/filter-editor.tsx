import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { Select } from "@/components/select";
import type { ColumnInfo } from "@/records/list/columns";
import { type Condition, isComplete, type Mode, modesOf, valueCounts } from "@/records/list/conditions";
import { maxFilters } from "@/records/list/filters";
import { modeName } from "./use-condition-text";
import { ValueFields } from "./value-fields";

export interface FilterEditorProps {
  column: ColumnInfo;
  /** The condition to change; undefined for a new one. */
  condition: Condition | undefined;
  /** Applies a condition; undefined removes it. Returns whether the list has room for it. */
  onApply: (condition: Condition | undefined) => boolean;
  onDone: () => void;
}

/** Milliseconds without a key press before a typed value is applied. */
const typingPauseMs = 400;
/** The days of a new condition. */
const usualDays: Partial<Record<Mode, string>> = { next: "7", last: "30" };

function startValues(mode: Mode, { type }: ColumnInfo): string[] {
  if (type === "checkbox") return ["true"];
  return usualDays[mode] ? [usualDays[mode]] : [];
}

/** Chooses how a list is filtered by a column. Every change is applied at once, typed ones after a pause. */
export function FilterEditor({ column, condition, onApply, onDone }: FilterEditorProps) {
  const { t } = useTranslation();
  const modes = modesOf[column.type];
  const [draft, setDraft] = useState<Condition>(() => {
    const mode = modes[0] ?? "is";
    return condition ?? { column: column.id, mode, values: startValues(mode, column) };
  });
  const latest = useRef(draft);
  const [isFull, setFull] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const apply = (next: Condition) => {
    clearTimeout(timer.current);
    timer.current = undefined;
    setFull(!onApply(isComplete(next, column) ? next : undefined));
  };
  const change = (next: Condition, isTyped = false) => {
    latest.current = next;
    setDraft(next);
    clearTimeout(timer.current);
    if (isTyped) timer.current = setTimeout(() => apply(next), typingPauseMs);
    else apply(next);
  };
  // Typed text is applied when the editor closes within the pause.
  const applyTyped = useEffectEvent(() => timer.current !== undefined && apply(latest.current));
  useEffect(() => () => void applyTyped(), []);
  const setMode = (mode: Mode) => {
    const isDays = usualDays[mode] !== undefined || usualDays[draft.mode] !== undefined;
    change({ ...draft, mode, values: isDays ? startValues(mode, column) : draft.values.slice(0, valueCounts[mode]) });
  };
  const values = useRef<HTMLDivElement>(null);
  // Once the popover has its place: before, the browser would scroll to where it is not.
  useEffect(() => {
    const frame = requestAnimationFrame(() => values.current?.querySelector<HTMLElement>("input, button")?.focus({ preventScroll: true }));
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <form
      className="grid grid-cols-1 gap-3 p-4"
      onSubmit={(event) => {
        event.preventDefault();
        apply(latest.current);
        onDone();
      }}
    >
      <h2 className="truncate font-semibold text-ink">{column.label}</h2>
      {isFull && <Alert kind="error">{t("ui.list.filters.full", { max: maxFilters })}</Alert>}
      {modes.length > 1 && (
        <Select
          label={t("ui.list.filters.condition")}
          hideLabel
          size="sm"
          value={draft.mode}
          onChange={setMode}
          options={modes.map((mode) => ({ value: mode, label: t(`ui.list.modes.${modeName(mode, column)}`) }))}
        />
      )}
      <div ref={values} className="empty:hidden">
        <ValueFields column={column} condition={draft} onChange={(next, isTyped) => change({ ...draft, values: next }, isTyped)} />
      </div>
      <div className="flex items-center justify-end gap-2">
        {condition && (
          <Button
            variant="ghost"
            size="sm"
            onClick={() => {
              clearTimeout(timer.current);
              timer.current = undefined;
              onApply(undefined);
              onDone();
            }}
          >
            {t("ui.list.filters.remove")}
          </Button>
        )}
        <Button variant="primary" size="sm" type="submit">
          {t("ui.action.done")}
        </Button>
      </div>
    </form>
  );
}
