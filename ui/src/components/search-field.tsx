import { Search, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  className?: string;
}

/** A toolbar's search field: Escape and the clear button empty it. */
export function SearchField({ label, value, onChange, className }: SearchFieldProps) {
  const { t } = useTranslation();
  return (
    <div className={cx("no-print relative min-w-0", className)}>
      <Search aria-hidden size={18} className="pointer-events-none absolute top-2 left-2.5 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && value) {
            event.stopPropagation();
            onChange("");
          }
        }}
        className="h-8.5 w-full appearance-none rounded-lg border border-line bg-surface pr-8 pl-9 text-base placeholder:text-muted focus:border-primary focus:outline-2 focus:-outline-offset-1 focus:outline-primary [&::-webkit-search-cancel-button]:hidden"
      />
      {value && (
        <button
          type="button"
          aria-label={t("ui.action.clear")}
          onClick={() => onChange("")}
          className="absolute top-1.25 right-1.25 grid size-6 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden size={16} />
        </button>
      )}
    </div>
  );
}
