import { Search } from "lucide-react";
import { Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { isSingleKey } from "@/lib/keys";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { startTypeAhead, takeTypeAhead } from "@/lib/type-ahead-buffer";

const SearchBar = lazyOnIdle(() => import("./search-bar"));
const SearchBasic = lazyOnIdle(() => import("./search-basic"));

export interface SearchToolProps {
  /** A bar that an icon opens over the header, or an ordinary field. A change closes the search. */
  appearance?: "bar" | "basic";
}

/** The global search; `/` opens it. */
export function SearchTool({ appearance = "bar" }: SearchToolProps) {
  const { t } = useTranslation();
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLDivElement>(null);
  /** Whether the focus returns to the button. */
  const goesBack = useRef(false);
  const [opened, setOpened] = useState<"bar">();
  const open = appearance === "bar" && opened === "bar";
  if (opened && appearance !== "bar") setOpened(undefined);

  const close = useCallback((how?: "away") => {
    goesBack.current = how !== "away";
    setOpened(undefined);
  }, []);
  useEffect(() => {
    if (!open && goesBack.current) button.current?.focus();
    goesBack.current = false;
  }, [open]);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== "/" || !isSingleKey(event)) return;
      event.preventDefault();
      if (appearance === "basic") field.current?.querySelector("input")?.focus();
      else {
        startTypeAhead(close);
        setOpened("bar");
      }
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [appearance, close]);
  // If the bar fails to load, the page receives the keys again.
  useEffect(() => (open ? () => void takeTypeAhead() : undefined), [open]);

  if (appearance === "basic") {
    return (
      <div ref={field}>
        <Suspense fallback={<div className="h-10 sm:w-80" />}>
          <SearchBasic />
        </Suspense>
      </div>
    );
  }
  return (
    <>
      <IconButton
        ref={button}
        label={t("ui.search.title")}
        icon={Search}
        aria-expanded={open}
        aria-keyshortcuts="/"
        onClick={() => {
          startTypeAhead(close);
          setOpened("bar");
        }}
        className="max-sm:w-9"
      />
      <Suspense>{open && <SearchBar onClose={close} />}</Suspense>
    </>
  );
}
