import { useState } from "react";

interface ParsedTextOptions<T> {
  value: T;
  /** What an empty field stands for. */
  empty: T;
  /** The value of a text; undefined when it has none. */
  parse: (text: string) => T | undefined;
  onChange: (value: T) => void;
}

/** The text of a field while it is typed, and whether it has no value. It is parsed when the field is left. */
export function useParsedText<T>({ value, empty, parse, onChange }: ParsedTextOptions<T>) {
  const [typed, setTyped] = useState<string>();
  const [wrong, setWrong] = useState(false);
  const leave = () => {
    if (typed === undefined) return;
    const parsed = typed.trim() === "" ? empty : parse(typed);
    setWrong(parsed === undefined);
    if (parsed === undefined) return;
    setTyped(undefined);
    if (parsed !== value) onChange(parsed);
  };
  /** Takes a value that was chosen instead of typed. */
  const choose = (chosen: T) => {
    setTyped(undefined);
    setWrong(false);
    onChange(chosen);
  };
  return { typed, setTyped, wrong, leave, choose };
}
