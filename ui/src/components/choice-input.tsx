import { type Ref, useContext, useEffect, useRef } from "react";
import { ComboBoxStateContext } from "react-aria-components/ComboBox";
import { Input } from "react-aria-components/Input";
import { cx } from "@/lib/cx";
import { inputClass } from "./field";

export interface ChoiceInputProps {
  className?: string;
  placeholder?: string;
  /** Whether any text is a value: the list then opens on typing only, and the text is not selected. */
  isText?: boolean;
  ref?: Ref<HTMLInputElement>;
}

/**
 * Highlights the first match of the typed text, which Enter then takes. Returns a function to call when text is typed. React
 * Aria removes the highlight when the text changes, in an effect that follows this one.
 */
export function useFirstMatch(): () => void {
  const state = useContext(ComboBoxStateContext);
  const latest = useRef(state);
  const isTyped = useRef(false);
  const { isOpen = false, inputValue = "", collection } = state ?? {};
  useEffect(() => {
    latest.current = state;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each text and what it finds
  useEffect(() => {
    if (!isOpen || inputValue === "") isTyped.current = false;
    if (!isTyped.current) return;
    queueMicrotask(() => {
      const { selectionManager, collection: found } = latest.current ?? {};
      if (isTyped.current && selectionManager?.focusedKey === null) selectionManager.setFocusedKey(found?.getFirstKey() ?? null);
    });
  }, [isOpen, inputValue, collection]);
  return () => {
    isTyped.current = true;
  };
}

/**
 * The field of a combobox with `menuTrigger="manual"`: selects its text on focus, and opens the list on focus, on a
 * press, and on typing, where the first match is highlighted. React Aria's own triggers also open the list when the text
 * changes by itself, as after Escape.
 */
export function ChoiceInput({ className, placeholder = "", isText = false, ref }: ChoiceInputProps) {
  const state = useContext(ComboBoxStateContext);
  const focused = useRef(false);
  const onTyped = useFirstMatch();
  return (
    <Input
      {...(ref && { ref })}
      className={cx(inputClass, className)}
      placeholder={placeholder}
      onFocus={({ currentTarget }) => {
        // React Aria also sends focus events when the current option changes; the text must not be selected then.
        if (focused.current || isText) return;
        focused.current = true;
        currentTarget.select();
        if (currentTarget.closest("[data-opening]")) return;
        // All choices, not only those that match the current text.
        state?.open(null, "manual");
      }}
      onClick={() => {
        if (focused.current && !isText && state && !state.isOpen) state.open(null, "manual");
      }}
      onBlur={({ currentTarget }) => {
        focused.current = document.activeElement === currentTarget;
      }}
      onChange={({ currentTarget }) => {
        if (!isText && currentTarget.value !== "") onTyped();
        state?.open(null, "input");
      }}
    />
  );
}
