import { Pencil } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DateField } from "@/components/date-field";
import { IconButton } from "@/components/icon-button";
import { Select } from "@/components/select";
import { TagInput } from "@/components/tag-input";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useFieldLabel } from "@/features/fields/field-text";
import { MemberSelect } from "@/features/team/member-select";
import { cx } from "@/lib/cx";
import { type Field, inputsOf } from "@/records/fields";
import type { CreatedKind } from "@/records/kinds";
import { useFactEditing } from "./use-facts";

/** Whether a field is edited where it stands; the others are in the form only. */
export const isEditable = ({ type }: Field) => ["text", "day", "member", "choice", "tags"].includes(type);

interface FactInputProps {
  field: Field;
  value: unknown;
  error: string | undefined;
  onSave: (value: unknown) => void;
  /** Ends the editing; by a key, the focus returns to where it was. */
  onDone: (isByKey: boolean) => void;
  onWrong: (isWrong: boolean) => void;
}

/** A text, which is saved by Enter and by leaving it. */
function TextFact({ field, value, error, onSave, onDone }: FactInputProps) {
  const label = useFieldLabel()(field);
  const isLong = field.type === "text" && field.isLong;
  const [text, setText] = useState(typeof value === "string" ? value : "");
  const isDone = useRef(false);
  const done = (isByKey: boolean) => {
    if (isDone.current) return;
    const clean = text.trim();
    // A text that the server refused is sent again, also unchanged, and its input stays until it is right.
    const isRefused = error !== undefined;
    isDone.current = !isRefused;
    if (isRefused || clean !== (typeof value === "string" ? value : "")) onSave(clean === "" ? null : clean);
    onDone(isByKey);
  };
  const common = {
    label,
    hideLabel: true,
    error,
    value: text,
    dir: "auto",
    onBlur: () => done(false),
    onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      if (event.key === "Escape") isDone.current = true;
      if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
      if (isLong && !event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      event.stopPropagation();
      done(true);
    },
  };
  return isLong ? (
    <TextArea {...common} onChange={(event) => setText(event.target.value)} />
  ) : (
    <TextField {...common} onChange={(event) => setText(event.target.value)} />
  );
}

/** The input for a fact, by the type of its field. A choice is saved at once. */
function FactInput(props: FactInputProps) {
  const { field, value, error, onSave, onDone, onWrong } = props;
  const { t } = useTranslation();
  const common = { label: useFieldLabel()(field), hideLabel: true, error };
  const text = typeof value === "string" ? value : null;
  /** A list of choices is open at once, and ends the editing when it closes. */
  const list = { ...common, defaultOpen: true, onOpenChange: (isOpen: boolean) => !isOpen && onDone(true) };
  switch (field.type) {
    case "day":
      return <DateField {...common} value={text} onChange={onSave} onWrong={onWrong} />;
    case "member":
      return <MemberSelect {...list} value={text} onChange={onSave} />;
    case "choice":
      return (
        <Select
          {...list}
          value={String(value)}
          onChange={(key) => onSave(typeof value === "number" ? Number(key) : key)}
          options={Object.entries(field.texts).map(([key, name]) => ({ value: key, label: String(t(name)) }))}
        />
      );
    case "tags":
      return <TagInput {...common} value={Array.isArray(value) ? value : []} onChange={onSave} />;
    default:
      return <TextFact {...props} />;
  }
}

export interface EditableFactProps {
  kind: CreatedKind;
  /** The name of the field in the form. */
  input: string;
  /** Whether the value itself is the button, where there is no room for one beside it. */
  asButton?: boolean;
  className?: string;
  children: ReactNode;
}

/** A fact that a press turns into its input. Escape restores what was there before. */
export function EditableFact({ kind, input, asButton, className, children }: EditableFactProps) {
  const { t, i18n } = useTranslation();
  const editing = useFactEditing();
  const field = inputsOf(kind).get(input);
  const label = useFieldLabel();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef<unknown>(undefined);
  const returns = useRef(false);
  const isWrong = useRef(false);
  const error = editing?.errorOf(input);
  const isEdited = editing?.isEdited(input) ?? false;
  const value = editing?.values[input];
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    if (!isEdited) {
      if (returns.current) button.current?.focus();
      returns.current = false;
      return;
    }
    before.current = latest.current;
    box.current?.querySelector<HTMLElement>("input, textarea")?.focus();
  }, [isEdited]);
  if (!editing || !field || !isEditable(field)) return children;

  const done = (isByKey: boolean) => {
    if (isWrong.current) return;
    returns.current = isByKey;
    if (editing.edited === input) editing.edit(undefined);
  };
  if (isEdited) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: Escape and leaving belong to the input inside
      <div
        ref={box}
        className={className}
        onKeyDown={(event) => {
          if (event.defaultPrevented) return;
          if (event.key === "Enter" && field.type === "day" && event.target instanceof HTMLInputElement) {
            // The key must not press the button that gets the focus.
            event.preventDefault();
            event.target.blur();
            done(true);
          }
          if (event.key !== "Escape") return;
          event.stopPropagation();
          isWrong.current = false;
          if (latest.current !== before.current || error) editing.save(input, before.current);
          done(true);
        }}
        onBlur={({ relatedTarget, currentTarget }) => {
          // A list of choices or a calendar is outside, and belongs to the input.
          const isInside = relatedTarget && (currentTarget.contains(relatedTarget) || relatedTarget.closest("[data-trigger]"));
          if (relatedTarget && !isInside) done(false);
        }}
      >
        <FactInput
          field={field}
          value={value}
          error={error}
          onSave={(next) => editing.save(input, next)}
          onDone={done}
          onWrong={(wrong) => {
            isWrong.current = wrong;
          }}
        />
      </div>
    );
  }
  const edit = () => editing.edit(input);
  const change = t("ui.records.changeFact", { field: label(field).toLocaleLowerCase(i18n.language) });
  if (asButton) {
    return (
      <button ref={button} type="button" onClick={edit} className="-m-1 rounded-lg p-1 text-left transition-colors hover:bg-hover">
        {children}
        <span className="sr-only">{change}</span>
      </button>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button inside does the same
    <div
      className={cx("group/fact flex items-start gap-1", className)}
      onClick={(event) => {
        if (event.target instanceof Element && event.target.closest("a, button")) return;
        if (!getSelection()?.toString()) edit();
      }}
    >
      <div className="min-w-0 flex-1">{children}</div>
      <IconButton
        ref={button}
        label={change}
        icon={Pencil}
        size="sm"
        className="-my-1 opacity-0 group-hover/fact:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
        onClick={edit}
      />
    </div>
  );
}
