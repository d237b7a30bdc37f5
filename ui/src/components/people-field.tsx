import { Check, X } from "lucide-react";
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { ComboBox } from "react-aria-components/ComboBox";
import { Input, type InputProps } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { ListBoxItem } from "react-aria-components/ListBox";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { Avatar } from "./avatar";
import { useFirstMatch } from "./choice-input";
import { ChoicePopover } from "./choice-popover";
import { FieldNote, type FieldProps, requiredMark } from "./field";

export interface PersonOption {
  id: string;
  name: string;
  /** A second line that distinguishes people with the same name. */
  line?: string | undefined;
  avatar?: string | null | undefined;
  /** Replaces the avatar if the choice is not a single person. */
  icon?: ReactNode;
}

export interface PeopleFieldProps extends Pick<FieldProps, "label" | "hideLabel" | "hint" | "error"> {
  value: string[];
  onChange: (value: string[]) => void;
  options: PersonOption[];
  placeholder?: string;
  required?: boolean;
  autoFocus?: boolean;
}

const face = (person: PersonOption, size: number) => person.icon ?? <Avatar name={person.name} src={person.avatar} size={size} />;

/** The input of the field; the first match of a typed text is highlighted, so that Enter takes it. */
function PeopleInput({ ref, ...attributes }: InputProps & { ref: RefObject<HTMLInputElement | null> }) {
  const onTyped = useFirstMatch();
  return <Input ref={ref} {...attributes} onChange={({ currentTarget }) => currentTarget.value !== "" && onTyped()} />;
}

/** Several people, found by typing: Backspace in the empty field removes the last one. */
export function PeopleField({
  label,
  hideLabel,
  hint,
  error,
  value,
  onChange,
  options,
  placeholder,
  required,
  autoFocus,
}: PeopleFieldProps) {
  const { t } = useTranslation();
  const note = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const chosen = value.map((id) => options.find((option) => option.id === id)).filter((option) => option !== undefined);
  const remove = (id: string) => {
    onChange(value.filter((other) => other !== id));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Backspace" && text === "" && value.length > 0) onChange(value.slice(0, -1));
  };
  return (
    <ComboBox
      selectionMode="multiple"
      items={options.filter(({ name }) => fold(name).includes(fold(text.trim())))}
      value={value}
      onChange={(keys) => {
        onChange(keys.map(String));
        setText("");
      }}
      inputValue={text}
      onInputChange={setText}
      menuTrigger="focus"
      allowsEmptyCollection
      isInvalid={error !== undefined}
      className="min-w-0"
    >
      <Label className={cx("mb-1.5 block text-sm font-medium text-gray-700", hideLabel && "sr-only")}>
        {label}
        {required && requiredMark}
      </Label>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press on the field's empty area focuses the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the field by itself */}
      <div
        ref={box}
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
        className="touchable flex min-h-10.5 flex-wrap items-center gap-1.5 pointer-coarse:gap-2 rounded-control border border-line-strong bg-surface px-2 py-1.5 shadow-control transition-colors hover:border-gray-400 focus-within:border-primary focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-primary has-[[aria-invalid]]:border-bad"
      >
        {chosen.map((person) => (
          <span
            key={person.id}
            className="inline-flex h-7 pointer-coarse:h-9 pointer-coarse:pr-2 max-w-full items-center gap-1.5 rounded-full bg-hover pr-1 pl-1 text-sm text-ink"
          >
            {face(person, 20)}
            <span className="truncate">{person.name}</span>
            <button
              type="button"
              aria-label={t("ui.action.removeNamed", { name: person.name })}
              onClick={() => remove(person.id)}
              className="fingertip relative grid size-6 shrink-0 place-items-center rounded-full text-muted hover:bg-line hover:text-ink"
            >
              <X aria-hidden size={14} />
            </button>
          </span>
        ))}
        <PeopleInput
          ref={input}
          autoFocus={autoFocus ?? false}
          placeholder={value.length === 0 ? (placeholder ?? "") : ""}
          aria-describedby={error || hint ? note : undefined}
          onKeyDown={onKeyDown}
          className="h-7 min-w-24 flex-1 bg-transparent px-1 outline-none placeholder:text-muted"
        />
      </div>
      <FieldNote id={note} hint={hint} error={error} />
      <ChoicePopover triggerRef={box}>
        {(person: PersonOption) => (
          <ListBoxItem
            id={person.id}
            textValue={person.name}
            className="flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-2.5 py-1.5 outline-none focus:bg-hover focus-visible:highlight"
          >
            {({ isSelected }) => (
              <>
                {face(person, 30)}
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-medium text-ink">{person.name}</span>
                  {person.line && <span className="block truncate text-sm text-muted">{person.line}</span>}
                </span>
                {isSelected && <Check aria-hidden size={16} className="text-accent" />}
              </>
            )}
          </ListBoxItem>
        )}
      </ChoicePopover>
    </ComboBox>
  );
}
