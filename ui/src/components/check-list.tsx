import { type KeyboardEvent, type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { Checkbox } from "./checkbox";
import { SearchField } from "./search-field";

export interface CheckListProps {
  label: string;
  /** `note` is shown at the right. */
  options: { value: string; label: string; icon?: ReactNode; note?: ReactNode }[];
  value: string[];
  onChange: (value: string[]) => void;
  /** Whether Enter in the search field adds a value that is not in the list. */
  free?: boolean;
  /** Options up to this need no search field. */
  few?: number;
  /** Options beyond this are found by typing. */
  most?: number;
  /** Classes of the list of options. */
  listClass?: string;
}

/** A choice of several values from a list; the arrow keys move within it, Enter and the space bar choose. */
export function CheckList(props: CheckListProps) {
  const { label, options, value, onChange, free, few = 8, most = 100, listClass = "max-h-60" } = props;
  const { t } = useTranslation();
  const [text, setText] = useState("");
  const typed = text.trim();
  const missing = value.filter((one) => !options.some((option) => option.value === one)).map((one) => ({ value: one, label: one }));
  const all: CheckListProps["options"] = [...missing, ...options];
  const shown = all.filter((option) => fold(option.label).includes(fold(typed))).slice(0, most);
  const hasSearch = free || options.length > few;
  const set = (one: string, on: boolean) => onChange(on ? [...value, one] : value.filter((other) => other !== one));
  const press = (event: KeyboardEvent) => {
    // Enter would send the form around it.
    if (event.key === "Enter" && event.target instanceof HTMLInputElement && event.target.type === "checkbox") {
      event.preventDefault();
      event.target.click();
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const boxes = [...event.currentTarget.querySelectorAll("input")];
    const at = boxes.indexOf(event.target as HTMLInputElement);
    boxes[at + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  };
  return (
    <fieldset className="min-w-0" onKeyDown={press}>
      <legend className="sr-only">{label}</legend>
      {hasSearch && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the field within has the focus
        <div
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !typed) return;
            event.preventDefault();
            const exact = shown.find((option) => fold(option.label) === fold(typed));
            const one = exact ?? (free && shown.length !== 1 ? { value: typed } : shown[0]);
            if (one && !value.includes(one.value)) onChange([...value, one.value]);
            setText("");
          }}
        >
          <SearchField label={t("ui.action.search")} value={text} onChange={setText} className="mb-1" />
        </div>
      )}
      <ul className={cx("-mx-1 overflow-y-auto px-1", listClass)}>
        {shown.map((option) => (
          <li key={option.value}>
            <Checkbox
              className="flex min-h-9 w-full min-w-0 rounded-lg px-1.5 pointer-coarse:min-h-11 hover:bg-hover has-focus-visible:bg-hover"
              checked={value.includes(option.value)}
              onChange={(event) => set(option.value, event.target.checked)}
            >
              {option.icon}
              <span className="flex min-w-0 flex-1 flex-wrap justify-between gap-x-3">
                <span dir="auto" className="max-w-full truncate" title={option.label}>
                  {option.label}
                </span>
                {option.note && <span className="text-sm text-muted tabular-nums">{option.note}</span>}
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
