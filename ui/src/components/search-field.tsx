import { Search, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { fieldButtonClass } from "./field";

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** What is said of the text, by the id of the element that says it. */
  describedBy?: string | undefined;
  className?: string;
}

/** A toolbar's search field: Escape and the clear button empty it. */
export function SearchField({ label, value, onChange, describedBy, className }: SearchFieldProps) {
  const { t } = useTranslation();
  return (
    <div className={cx("no-print relative min-w-0", className)}>
      <Search aria-hidden size={18} className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted" />
      <input
        type="search"
        aria-label={label}
        aria-describedby={describedBy}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value) {
            event.stopPropagation();
            onChange("");
          }
        }}
        className="touchable h-8.5 w-full appearance-none rounded-lg border border-line bg-surface pr-8 pl-9 text-base pointer-coarse:pr-11 placeholder:text-muted focus:border-primary focus:outline-2 focus:-outline-offset-1 focus:outline-primary [&::-webkit-search-cancel-button]:hidden"
      />
      {value && (
        <button
          type="button"
          aria-label={t("ui.action.clear")}
          onClick={() => onChange("")}
          className={cx(fieldButtonClass, "top-1.25 right-1.25 size-6 pointer-coarse:right-0")}
        >
          <X aria-hidden size={16} />
        </button>
      )}
    </div>
  );
}
