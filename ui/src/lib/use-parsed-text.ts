import { useRef, useState } from "react";

interface ParsedTextOptions<T> {
  value: T;
  /** The value of an empty field. */
  empty: T;
  /** Parses the text; undefined if it is invalid. */
  parse: (text: string) => T | undefined;
  onChange: (value: T) => void;
  /** Receives whether the typed text is invalid. */
  onWrong?: ((isWrong: boolean) => void) | undefined;
}

/**
 * Manages the text of a field while it is typed, and whether it is invalid. It is parsed when the field loses the
 * focus.
 */
export function useParsedText<T>({ value, empty, parse, onChange, onWrong }: ParsedTextOptions<T>) {
  const [typed, setShownTyped] = useState<string>();
  // The same without waiting for the next render: Enter can be followed at once by the loss of the focus.
  const current = useRef<string>(undefined);
  const setTyped = (text: string | undefined) => {
    current.current = text;
    setShownTyped(text);
  };
  const [wrong, setShownWrong] = useState(false);
  const setWrong = (isWrong: boolean) => {
    setShownWrong(isWrong);
    onWrong?.(isWrong);
  };
  const parsedOf = (text: string) => (text.trim() === "" ? empty : parse(text));
  /** Takes typed text; an error disappears as soon as the text is valid. */
  const type = (text: string) => {
    setTyped(text);
    if (parsedOf(text) !== undefined) setWrong(false);
  };
  const leave = () => {
    const text = current.current;
    if (text === undefined) return;
    const parsed = parsedOf(text);
    setWrong(parsed === undefined);
    if (parsed === undefined) return;
    setTyped(undefined);
    if (parsed !== value) onChange(parsed);
  };
  /** Sets a value that was chosen instead of typed. */
  const choose = (chosen: T) => {
    setTyped(undefined);
    setWrong(false);
    onChange(chosen);
  };
  return { typed, type, wrong, leave, choose };
}
