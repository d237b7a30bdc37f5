import { useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { DateField } from "@/components/date-field";
import { IconButton } from "@/components/icon-button";
import { RecordSelect } from "@/components/record-select";
import { Select } from "@/components/select";
import { TagsField } from "@/components/tags-field";
import { TextArea } from "@/components/text-area";
import { TextField } from "@/components/text-field";
import { useMay } from "@/features/account/data";
import { useFieldLabel } from "@/features/fields/field-text";
import { isMoney } from "@/features/fields/money";
import { MoneyField } from "@/features/fields/money-field";
import { MemberSelect } from "@/features/team/member-select";
import { cx } from "@/lib/cx";
import { afterPress, holdHeight } from "@/lib/press";
import { toast } from "@/lib/toast";
import { useBlurOnLeave } from "@/lib/use-blur-on-leave";
import { isSameValue } from "@/records/conflicts";
import { type Field, inputsOf } from "@/records/fields";
import type { FlatValues } from "@/records/flat";
import type { CreatedKind } from "@/records/kinds";
import { type Company, linkByName } from "@/records/named-organizations";
import { AttendeesInput } from "./attendees";
import { ChangedElsewhere } from "./changed-elsewhere";
import { CompanyInput } from "./company-input";
import { StatusSelect } from "./status-select";
import { type FactEditing, useFactEditing } from "./use-facts";

/** Whether a field is edited where it stands; the others are in the form only. */
const isEditable = ({ type }: Field) =>
  ["text", "company", "day", "member", "choice", "status", "tags", "money", "record", "attendees"].includes(type);

/** Returns what begins the editing of a field, where it stands or in the form; undefined where it is only read. */
export function startOf(editing: FactEditing | undefined, field: Field, input: string): (() => void) | undefined {
  if (!editing) return undefined;
  const { toForm } = editing;
  if (field.inForm) return toForm && (() => toForm(input));
  return isEditable(field) ? () => editing.edit(input) : undefined;
}

/** Whether each choice is confirmed by itself, and so stays when Escape ends the editing. */
const isList = ({ type }: Field) => type === "tags" || type === "attendees";

interface FactInputProps {
  field: Field;
  value: unknown;
  error: string | undefined;
  onSave: (value: unknown) => void;
  /** Ends the editing; by a key, the focus returns to where it was. */
  onDone: (isByKey: boolean) => void;
  onWrong: (isWrong: boolean) => void;
}

/**
 * Returns what saves a typed value and ends the editing, once; one that is typed when the screen is left is saved as well.
 * An input that is left as it was keeps what someone else made of the value in the meantime.
 */
function useDone({ value, error, onSave, onDone }: FactInputProps, typed: unknown) {
  const isDone = useRef(false);
  const isTyped = useRef(false);
  const saveLeft = useEffectEvent(() => {
    if (isTyped.current && !isDone.current && !isSameValue(typed, value)) onSave(typed);
  });
  useEffect(() => () => saveLeft(), []);
  const end = (typedNow: unknown, isByKey: boolean) => {
    if (isDone.current) return;
    const next = isTyped.current ? typedNow : value;
    // What the server refused is sent again, also unchanged, and its input stays until it is right.
    const isRefused = error !== undefined;
    isDone.current = !isRefused;
    if (isRefused || !isSameValue(next, value)) onSave(next);
    onDone(isByKey);
  };
  return { end, isDone, isTyped };
}

/** A text, which is saved by Enter and by leaving it. */
function TextFact(props: FactInputProps) {
  const { field, value, error } = props;
  const label = useFieldLabel()(field);
  const isLong = field.type === "text" && field.isLong;
  const [text, setText] = useState(typeof value === "string" ? value : "");
  const typed = text.trim() || null;
  const { end, isDone, isTyped } = useDone(props, typed);
  const done = (isByKey: boolean) => end(typed, isByKey);
  const type = (event: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
    isTyped.current = true;
    setText(event.target.value);
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
  return isLong ? <TextArea {...common} onChange={type} /> : <TextField {...common} onChange={type} />;
}

/** A company, which is saved by choosing an organization, by Enter and by leaving it. */
function CompanyFact(props: FactInputProps) {
  const { field, value, error } = props;
  const label = useFieldLabel()(field);
  const [company, setCompany] = useState(value as Company);
  const { end, isDone, isTyped } = useDone(props, { ...company, name: company.name.trim() });
  const done = (next: Company, isByKey: boolean) => end({ ...next, name: next.name.trim() }, isByKey);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and leaving belong to the input inside
    <div
      onBlur={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget) && !relatedTarget?.closest("[data-trigger]")) done(company, false);
      }}
      onKeyDown={({ key }) => {
        if (key === "Escape") isDone.current = true;
      }}
      onKeyDownCapture={(event) => {
        const { key, target, nativeEvent } = event;
        if (key !== "Enter" || nativeEvent.isComposing || !(target instanceof HTMLInputElement)) return;
        // With a current choice, the key chooses it.
        if (target.getAttribute("aria-activedescendant")) return;
        event.preventDefault();
        event.stopPropagation();
        done(company, true);
      }}
    >
      <CompanyInput
        label={label}
        hideLabel
        value={company}
        error={error}
        onChange={(next, isChosen) => {
          isTyped.current = true;
          setCompany(next);
          // A cleared company can still be replaced.
          if (isChosen && next.name) done(next, true);
        }}
      />
    </div>
  );
}

/** An amount of money, which is saved by Enter and by leaving it. */
function MoneyFact(props: FactInputProps) {
  const { field, value, error, onWrong } = props;
  const label = useFieldLabel()(field);
  const typed = useRef(isMoney(value) ? value : null);
  const isWrong = useRef(false);
  const [money, setMoney] = useState(typed.current);
  const { end, isDone, isTyped } = useDone(props, money);
  const done = (isByKey: boolean) => {
    if (!isWrong.current) end(typed.current, isByKey);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys belong to the inputs inside
    <div
      onKeyDown={(event) => {
        if (event.key === "Escape") isDone.current = true;
        if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        event.stopPropagation();
        done(true);
      }}
    >
      <MoneyField
        label={label}
        hideLabel
        error={error}
        value={money}
        onChange={(next) => {
          isTyped.current = true;
          typed.current = next;
          setMoney(next);
        }}
        onWrong={(wrong) => {
          isWrong.current = wrong;
          onWrong(wrong);
        }}
        onLeave={() => done(false)}
      />
    </div>
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
      return <DateField {...common} value={text} onChange={onSave} onWrong={onWrong} yearIsOptional={field.yearIsOptional} />;
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
    case "status":
      return <StatusSelect {...list} value={text} onChange={onSave} />;
    case "company":
      return <CompanyFact {...props} />;
    case "money":
      return <MoneyFact {...props} />;
    case "record":
      return (
        field.target && (
          <RecordSelect
            {...common}
            kind={field.target}
            placeholder={field.none && t(field.none)}
            value={text}
            onChange={(id) => {
              onSave(id);
              // An emptied one can still be replaced.
              if (id) onDone(true);
            }}
          />
        )
      );
    case "tags":
      return <TagsField {...common} value={Array.isArray(value) ? value : []} onChange={onSave} />;
    case "attendees":
      return (
        // biome-ignore lint/a11y/noStaticElementInteractions: keys belong to the input inside
        <div
          onKeyDown={(event) => {
            const isOpen = event.target instanceof Element && event.target.getAttribute("aria-expanded") === "true";
            // With an open list, the key closes that only.
            if (event.key === "Escape" && isOpen) event.stopPropagation();
          }}
        >
          <AttendeesInput
            {...common}
            value={Array.isArray(value) ? value : []}
            // A closed list reports what was chosen before.
            onChange={(next) => !isSameValue(next, value) && onSave(next)}
          />
        </div>
      );
    default:
      return <TextFact {...props} />;
  }
}

/** Returns the company that two fields of a record hold. */
const companyOf = (values: FlatValues, input: string, link: string): Company => ({
  id: (values[link] as string | null | undefined) ?? null,
  name: (values[input] as string | null | undefined) ?? "",
});

export interface EditableFactProps {
  kind: CreatedKind;
  /** The name of the field in the form. */
  input: string;
  /** Whether the value itself is the button, where there is no room for one beside it. */
  asButton?: boolean;
  className?: string;
  children: ReactNode;
}

/** A fact that a press turns into its input. Escape restores what was there before; tags and attendees stay. */
export function EditableFact({ kind, input, asButton, className, children }: EditableFactProps) {
  const { t, i18n } = useTranslation();
  const editing = useFactEditing();
  const client = useQueryClient();
  const mayReadOrganizations = useMay("organizations.read");
  const field = inputsOf(kind).get(input);
  const label = useFieldLabel();
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef<unknown>(undefined);
  const returns = useRef(false);
  const isWrong = useRef(false);
  const error = editing?.errorOf(input);
  const isEdited = editing?.isEdited(input) ?? false;
  const link = field?.type === "company" ? field.link : undefined;
  const value = editing && (link ? companyOf(editing.values, input, link) : editing.values[input]);
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
  const edit = field && startOf(editing, field, input);
  useBlurOnLeave(box, isEdited);
  if (!editing || !field || !edit) return children;
  const changesOf = (next: unknown): FlatValues => {
    if (!link) return { [input]: next };
    const { id, name, isNew = false } = next as Company;
    // A text that was no organization before needs no other field.
    const linked = id || isNew || editing.values[link] ? { [link]: id } : {};
    const isNewBefore = editing.values.newOrganization === true;
    return { [input]: name || null, ...linked, ...((isNew || isNewBefore) && { newOrganization: isNew }) };
  };
  const save = (next: unknown) => {
    editing.noteTyped(input, false);
    editing.save(changesOf(next));
  };
  /** Saves a company; a text that is the name of exactly one organization is linked to it. */
  const saveCompany = (next: unknown) => {
    const { id, name, isNew } = next as Company;
    if (id || isNew || !name || !mayReadOrganizations) return save(next);
    const linking = linkByName(client, next as Company).then(({ company, isAmbiguous }) => {
      if (isAmbiguous) toast.info(t("ui.customers.companySeveral"));
      return changesOf(company);
    });
    editing.noteTyped(input, false);
    return editing.save(changesOf(next), linking);
  };

  const done = (isByKey: boolean) => {
    if (isWrong.current) return;
    returns.current = isByKey;
    // What lies below must not move away from the press that ends the editing.
    afterPress(() => editing.close(input));
  };
  if (isEdited) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: Escape and leaving belong to the input inside
      <div
        ref={box}
        className={className}
        onInput={() => editing.noteTyped(input, true)}
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
          // What was added to a list is confirmed already.
          const isChanged = !isList(field) && !isSameValue(latest.current, before.current);
          if (isChanged || error) save(before.current);
          done(true);
        }}
        onBlur={({ relatedTarget, currentTarget }) => {
          // An error below the input must not move that either.
          holdHeight(currentTarget);
          // A list of choices or a calendar is outside, and belongs to the input.
          const isInside = relatedTarget && (currentTarget.contains(relatedTarget) || relatedTarget.closest("[data-trigger]"));
          if (relatedTarget && !isInside) done(false);
        }}
      >
        <FactInput
          field={field}
          value={value}
          error={error}
          onSave={link ? saveCompany : save}
          onDone={done}
          onWrong={(wrong) => {
            isWrong.current = wrong;
          }}
        />
        <ChangedElsewhere field={field} input={input} values={editing.changedElsewhere(input)} />
      </div>
    );
  }
  const change = t("ui.records.changeFact", { field: label(field).toLocaleLowerCase(i18n.language) });
  if (asButton) {
    return (
      <button
        ref={button}
        type="button"
        onClick={edit}
        className="touchable -m-1 rounded-lg pointer-coarse:my-0 p-1 text-left transition-colors hover:bg-hover"
      >
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
        className="-my-1 pointer-coarse:-my-3 opacity-0 group-hover/fact:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"
        onClick={edit}
      />
    </div>
  );
}
