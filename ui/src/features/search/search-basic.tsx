import { Search } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { ChoiceList } from "@/components/choices";
import { cx } from "@/lib/cx";
import { maxSearchLength } from "@/lib/search-params";
import { PartialNote } from "./partial-note";
import { type SearchOptions, useSearch } from "./use-search";

export interface SearchBasicProps extends Omit<SearchOptions, "onFollow"> {
  /** Closes the surface around the field; without it, only the results close. */
  onClose?: (() => void) | undefined;
  onFollow?: () => void;
  placeholder?: string;
  /** Content before the field, such as the current mode. */
  lead?: ReactNode;
  /** Content at the end of the field's row. */
  end?: ReactNode;
  /** Called for Backspace in the empty field. */
  onBack?: (() => void) | undefined;
  /** Whether the results fill the surface around the field, instead of lying over the page. */
  inline?: boolean;
}

/** A search field with its results below. Escape empties and closes it. */
export default function SearchBasic({ onClose, onFollow, placeholder, lead, end, onBack, inline, ...options }: SearchBasicProps) {
  const { t } = useTranslation();
  const [focused, setFocused] = useState(false);
  const search = useSearch({
    ...options,
    onFollow: () => {
      close();
      onFollow?.();
    },
  });
  const { active } = search.choices;
  const open = inline || (focused && search.answered);
  const close = () => search.setText("");

  return (
    <search
      className={cx("flex min-w-0 flex-col", inline ? "min-h-0 flex-1" : "relative w-full sm:w-80")}
      onFocus={() => setFocused(true)}
      onBlur={(event) => {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        setFocused(false);
        if (!inline) close();
      }}
    >
      <div
        className={cx(
          "flex items-center gap-2.5",
          inline
            ? "h-14 shrink-0 border-b border-line px-4"
            : "h-10 rounded-control border border-line bg-surface px-3 focus-within:border-primary focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-primary",
        )}
      >
        <Search aria-hidden size={inline ? 20 : 18} className="shrink-0 text-muted" />
        {lead}
        <input
          ref={search.input}
          autoFocus={options.takesFocus}
          type="search"
          autoComplete="off"
          spellCheck={false}
          aria-label={t("ui.search.title")}
          placeholder={placeholder ?? t("ui.search.placeholder")}
          maxLength={maxSearchLength}
          {...(open && search.choices.field)}
          value={search.text}
          onChange={(event) => search.setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") {
              if (!search.text && !onBack && !onClose) return;
              event.preventDefault();
              event.stopPropagation();
              if (search.text) close();
              else if (onBack) onBack();
              else onClose?.();
            } else if (event.key === "Backspace" && !search.text && onBack) onBack();
            else if (event.key !== "Tab") search.onKeyDown(event);
          }}
          className={cx(
            "h-full min-w-0 flex-1 appearance-none bg-transparent text-ink outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden",
            inline && "text-lg",
          )}
        />
        {end}
      </div>
      {open && (
        <div
          className={cx(
            "flex flex-col overflow-hidden",
            inline
              ? "min-h-0 flex-1"
              : "absolute inset-x-0 top-full z-10 mt-1.5 max-h-128 rounded-xl bg-surface shadow-panel animate-enter",
          )}
        >
          {active ? (
            <ChoiceList choices={search.choices} label={t("ui.search.results")} className="min-h-0 overflow-y-auto p-2" />
          ) : (
            (search.answered || search.text !== "") &&
            (search.error || search.current) && (
              <p role="status" className="px-5 py-5 text-muted">
                {search.note}
              </p>
            )
          )}
          {search.partial && <PartialNote />}
        </div>
      )}
      <p role="status" className="sr-only">
        {open && search.spoken}
      </p>
    </search>
  );
}
