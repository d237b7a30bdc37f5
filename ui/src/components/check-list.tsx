import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { fold } from "@/lib/fold";
import { Checkbox } from "./checkbox";
import { SearchField } from "./search-field";

export interface CheckListProps {
  label: string;
  options: { value: string; label: string; icon?: ReactNode }[];
  value: string[];
  onChange: (value: string[]) => void;
  /** Whether Enter in the search field adds a value that is not in the list. */
  free?: boolean;
}

/** Options beyond this are found by typing. */
const maxShown = 100;
/** Options up to this need no search field. */
const fewOptions = 8;

/** A choice of several values from a list; the arrow keys move within it. */
export function CheckList({ label, options, value, onChange, free }: CheckListProps) {
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const typed = text.trim();
  const missing = value.filter((one) => !options.some((option) => option.value === one)).map((one) => ({ value: one, label: one }));
  const all: CheckListProps["options"] = [...missing, ...options];
  const shown = all.filter((option) => fold(option.label).includes(fold(typed))).slice(0, maxShown);
  const hasSearch = free || options.length > fewOptions;
  const move = (event: KeyboardEvent) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const boxes = [...event.currentTarget.querySelectorAll("input")];
    const at = boxes.indexOf(event.target as HTMLInputElement);
    boxes[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  };
  return (
    <fieldset className="min-w-0" onKeyDown={move}>
      <legend className="sr-only">{label}</legend>
      {hasSearch && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the field within has the focus
        <div
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !typed) return;
            event.preventDefault();
            const one = shown.find((option) => fold(option.label) === fold(typed)) ?? (free ? { value: typed } : shown[0]);
            if (one && !value.includes(one.value)) onChange([...value, one.value]);
            setText("");
          }}
        >
          <SearchField label={t("ui.action.search")} value={text} onChange={setText} className="mb-1" />
        </div>
      )}
      <ul className="-mx-1 max-h-60 overflow-y-auto px-1">
        {shown.map((option) => (
          <li key={option.value}>
            <Checkbox
              className="flex min-h-9 w-full min-w-0 rounded-lg px-1.5 hover:bg-hover has-focus-visible:bg-hover"
              checked={value.includes(option.value)}
              onChange={(event) => onChange(event.target.checked ? [...value, option.value] : value.filter((one) => one !== option.value))}
            >
              {option.icon}
              <span dir="auto" className="min-w-0 truncate" title={option.label}>
                {option.label}
              </span>
            </Checkbox>
          </li>
        ))}
      </ul>
      {shown.length === 0 && (
        <p className="px-1.5 py-2 text-sm text-muted">
          {free && typed ? t("ui.list.filters.addByEnter", { value: typed }) : t("ui.list.noMatch")}
        </p>
      )}
    </fieldset>
  );
}
