import { Search, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { ChoiceList } from "@/components/choices";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { maxSearchLength } from "@/lib/search-params";
import { PartialNote } from "./partial-note";
import { useSearch } from "./use-search";

/** A search bar that covers the header; Escape closes the results first, then the bar. */
export default function SearchBar({ onClose }: { onClose: (how?: "away") => void }) {
  const { t } = useTranslation();
  const { key } = useLocation();
  const [opened] = useState(key);
  const [hidden, setHidden] = useState(false);
  const bar = useRef<HTMLElement>(null);
  const search = useSearch({ onFollow: onClose, takesFocus: true });
  const open = search.answered && !hidden;

  useEffect(() => {
    if (key !== opened) onClose("away");
  }, [key, opened, onClose]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !bar.current?.contains(event.target)) onClose("away");
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [onClose]);

  return (
    <search
      ref={bar}
      className="absolute inset-0 z-2 bg-surface animate-fade"
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        if (open) setHidden(true);
        else onClose();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        // The elements under the bar are hidden, so moving the focus there closes it.
        if (relatedTarget && !currentTarget.contains(relatedTarget)) onClose("away");
      }}
    >
      <div className="flex h-full items-center gap-3 px-3 sm:px-6">
        <Search aria-hidden size={20} className="shrink-0 text-muted" />
        <input
          ref={search.input}
          autoFocus
          type="search"
          autoComplete="off"
          spellCheck={false}
          aria-label={t("ui.search.title")}
          placeholder={t("ui.search.placeholder")}
          maxLength={maxSearchLength}
          {...(open && search.choices.field)}
          value={search.text}
          onChange={(event) => {
            search.setText(event.target.value);
            setHidden(false);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") return;
            if (!open && event.key === "ArrowDown") setHidden(false);
            else if (event.key !== "Tab") search.onKeyDown(event);
          }}
          className="h-full min-w-0 flex-1 appearance-none bg-transparent text-lg text-ink outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
        />
        <IconButton label={t("ui.search.close")} icon={X} onClick={() => onClose()} />
      </div>
      {open && (
        <div className="absolute inset-x-0 top-full flex max-h-[min(32rem,calc(100dvh-5rem))] flex-col overflow-hidden rounded-b-2xl border-t border-line bg-surface shadow-panel">
          {search.choices.active ? (
            <ChoiceList
              choices={search.choices}
              label={t("ui.search.results")}
              className={cx("min-h-0 overflow-y-auto p-2 transition-opacity sm:px-3.5", !search.current && "opacity-70")}
            />
          ) : (
            <p role="status" className="px-5 py-5 text-muted sm:px-6.5">
              {search.note}
            </p>
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
