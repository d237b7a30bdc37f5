import { Plus } from "lucide-react";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ColourName } from "@/lib/colours";
import { fold } from "@/lib/fold";
import { afterPress, holdHeight } from "@/lib/press";
import { Field, type FieldProps, fieldAttributes } from "./field";
import { Tag, tagStyle } from "./tag";

export interface TagInputProps extends FieldProps {
  value: string[];
  onChange: (value: string[]) => void;
  /** Receives whether there is text, which becomes a tag when the field is left. */
  onTyped?: (isTyped: boolean) => void;
  /** Tags that are in use already; the matching ones are suggested. */
  suggestions?: string[];
  /** Returns the colour of a tag. */
  colourOf?: (tag: string) => ColourName | undefined;
  placeholder?: string;
  maxLength?: number;
  disabled?: boolean;
  /** Whether it gets the focus when it is shown. */
  autoFocus?: boolean;
}

/** Tags as chips: Enter or a comma adds one, Backspace in the empty field removes the last. */
export function TagInput({
  label,
  hint,
  error,
  hideLabel,
  className,
  value,
  onChange,
  onTyped,
  suggestions = [],
  colourOf,
  placeholder,
  maxLength = 50,
  disabled,
  autoFocus = false,
}: TagInputProps) {
  const { t } = useTranslation();
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [text, setTyped] = useState("");
  const [focused, setFocused] = useState(false);
  /** Whether Escape hid the suggestions, until the text changes. */
  const [hidden, setHidden] = useState(false);

  const setText = (next: string) => {
    setTyped(next);
    onTyped?.(next.trim() !== "");
  };
  const add = (word: string) => {
    const clean = word.trim().replace(/\s+/g, " ");
    setText("");
    if (clean && !value.some((tag) => fold(tag) === fold(clean))) onChange([...value, clean]);
  };
  const offered = suggestions
    .filter((word) => !value.some((tag) => fold(tag) === fold(word)) && fold(word).includes(fold(text.trim())))
    .slice(0, 6);

  const isOffering = focused && !hidden && offered.length > 0;
  /** Escape undoes the innermost first: suggestions, then text. Tags stay. */
  const onEscape = (event: KeyboardEvent) => {
    if (!isOffering && text === "") return;
    event.stopPropagation();
    setHidden(true);
    if (!isOffering) setText("");
  };

  return (
    <Field id={id} label={label} hint={hint} error={error} className={className} {...(hideLabel && { hideLabel })}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a press on the field's empty area focuses the field */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard reaches the field by itself */}
      <div
        ref={box}
        onClick={(event) => event.target === event.currentTarget && input.current?.focus()}
        className="touchable flex min-h-10.5 flex-wrap items-center gap-1.5 pointer-coarse:gap-2 rounded-control border border-line-strong bg-surface px-2 py-1.5 shadow-control transition-colors hover:border-gray-400 has-disabled:bg-sunken focus-within:border-primary focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-primary"
      >
        {value.map((tag) => (
          <Tag key={tag} colour={colourOf?.(tag)} {...(!disabled && { onRemove: () => onChange(value.filter((other) => other !== tag)) })}>
            {tag}
          </Tag>
        ))}
        <input
          ref={input}
          {...fieldAttributes(id, { hint, error })}
          value={text}
          disabled={disabled}
          autoFocus={autoFocus}
          maxLength={maxLength}
          placeholder={value.length === 0 ? placeholder : undefined}
          autoComplete="off"
          onFocus={() => {
            setFocused(true);
            setHidden(false);
          }}
          onChange={(event) => {
            setHidden(false);
            if (event.target.value.endsWith(",")) add(event.target.value.slice(0, -1));
            else setText(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") onEscape(event);
            else if (event.key === "Enter") {
              event.preventDefault();
              add(text);
            } else if (event.key === "Backspace" && text === "" && value.length > 0) onChange(value.slice(0, -1));
          }}
          onBlur={(event) => {
            if (event.relatedTarget instanceof HTMLElement && event.relatedTarget.dataset.suggestion) return;
            // A button below must not move away from the press that left the field.
            holdHeight(box.current);
            add(text);
            afterPress(() => setFocused(input.current === document.activeElement));
          }}
          className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none placeholder:text-muted"
        />
      </div>
      {isOffering && (
        <div className="mt-1.5 flex flex-wrap gap-1.5 pointer-coarse:gap-2">
          {offered.map((word) => (
            <button
              key={word}
              type="button"
              data-suggestion="true"
              aria-label={t("ui.list.addTag", { tag: word })}
              onClick={() => {
                add(word);
                input.current?.focus();
              }}
              className="fingertip relative inline-flex max-w-full items-center gap-1 rounded-md bg-hover px-1.75 py-0.5 pointer-coarse:h-9 text-xs text-soft hover:text-ink"
              style={tagStyle(colourOf?.(word))}
            >
              <Plus aria-hidden size={12} />
              <span dir="auto" className="truncate">
                {word}
              </span>
            </button>
          ))}
        </div>
      )}
    </Field>
  );
}
