import { useQuery } from "@tanstack/react-query";
import { CircleCheck, Search, X } from "lucide-react";
import { type ComponentType, useEffect, useRef, useState } from "react";
import { Autocomplete } from "react-aria-components/Autocomplete";
import { Header } from "react-aria-components/Header";
import { Input } from "react-aria-components/Input";
import { ListBox, ListBoxItem, ListBoxSection } from "react-aria-components/ListBox";
import { SearchField } from "react-aria-components/SearchField";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { errorText } from "@/api/errors";
import type { Hit, ResultSet } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { isInAppPath } from "@/lib/links";
import { useDebounced } from "@/lib/use-debounced";
import { debounce, minimumLength, searchQuery } from "./data";

const row = "flex min-h-11 cursor-pointer items-center gap-3 rounded-lg px-3 py-1.5 outline-none focus:bg-hover hover:bg-hover";

function ContactRow({ hit }: { hit: Hit }) {
  return (
    <>
      <Avatar name={hit.value} src={hit.avatar} size={32} />
      <span className="min-w-0">
        <span className="block truncate">{hit.value}</span>
        {hit.subtitle && <span className="block truncate text-sm text-muted">{hit.subtitle}</span>}
      </span>
    </>
  );
}

function PageRow({ hit }: { hit: Hit }) {
  return (
    <span className="min-w-0">
      <span className="block truncate">{hit.value}</span>
      <span className="block truncate text-sm text-muted">{hit.link}</span>
    </span>
  );
}

function TaskRow({ hit }: { hit: Hit }) {
  const { t } = useTranslation();
  return (
    <>
      <CircleCheck aria-hidden size={20} className={hit.completed ? "text-accent" : "text-gray-400"} />
      <span className={cx("truncate", hit.completed && "text-muted line-through")}>{hit.value}</span>
      {hit.completed && <span className="sr-only">{t("ui.search.completed")}</span>}
    </>
  );
}

const rowOf: Record<string, ComponentType<{ hit: Hit }>> = { contacts: ContactRow, pages: PageRow, tasks: TaskRow };

function rows({ id, results }: ResultSet) {
  const Row = rowOf[id] ?? PageRow;
  return results.map((hit, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a hit has no other key, and the list is drawn anew with each answer
    <ListBoxItem key={`${id}/${at}`} id={`${id}/${at}`} textValue={hit.value} className={row}>
      <Row hit={hit} />
    </ListBoxItem>
  ));
}

/** Searches everything while one types; Escape closes the results first, then the bar. */
export default function SearchBar({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const location = useLocation();
  const [opened] = useState(location.key);
  const [text, setText] = useState("");
  const [shown, setShown] = useState(true);
  const bar = useRef<HTMLDivElement>(null);
  const rested = useDebounced(text.trim(), debounce);
  const wanted = text.trim().length < minimumLength ? "" : rested;
  const { data, error, isFetching } = useQuery(searchQuery(wanted));
  const sets = wanted.length >= minimumLength ? data?.filter((set) => set.results.length > 0) : undefined;
  const open = shown && wanted.length >= minimumLength && (sets !== undefined || error !== null);

  useEffect(() => {
    if (location.key !== opened) onClose();
  }, [location.key, opened, onClose]);
  useEffect(() => {
    const outside = (event: PointerEvent) => {
      if (event.target instanceof Node && !bar.current?.contains(event.target)) onClose();
    };
    addEventListener("pointerdown", outside);
    return () => removeEventListener("pointerdown", outside);
  }, [onClose]);

  const follow = (key: string) => {
    const [id, at] = key.split("/");
    const link = sets?.find((set) => set.id === id)?.results[Number(at)]?.link;
    onClose();
    if (link && isInAppPath(link)) void navigate(link);
  };

  return (
    <div ref={bar} role="search" className="absolute inset-0 z-2 bg-surface animate-enter">
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField
          aria-label={t("ui.search.title")}
          className="flex h-full items-center gap-3 px-3 sm:px-6"
          onKeyDown={(event) => {
            if (event.key !== "Escape") {
              setShown(true);
              return;
            }
            if (open) setShown(false);
            else onClose();
          }}
        >
          <Search aria-hidden size={20} className="shrink-0 text-muted" />
          <Input
            autoFocus
            placeholder={t("ui.search.placeholder")}
            maxLength={256}
            className="h-full min-w-0 flex-1 bg-transparent text-lg text-ink outline-none placeholder:text-muted [&::-webkit-search-cancel-button]:hidden"
          />
          <IconButton label={t("ui.search.close")} icon={X} onClick={onClose} />
        </SearchField>
        {open && (
          <div className="absolute inset-x-0 top-full max-h-128 overflow-y-auto rounded-b-2xl bg-surface p-2 shadow-panel sm:px-3.5">
            {sets && sets.length > 0 ? (
              <ListBox
                aria-label={t("ui.search.results")}
                className={cx("outline-none transition-opacity", isFetching && wanted !== text.trim() && "opacity-70")}
                onAction={(key) => follow(String(key))}
              >
                {sets.map((set) => (
                  <ListBoxSection key={set.id} id={set.id} className="pb-2">
                    <Header className="px-3 py-2 text-xs font-semibold tracking-[.06em] text-muted uppercase">{set.label}</Header>
                    {rows(set)}
                  </ListBoxSection>
                ))}
              </ListBox>
            ) : (
              <p role="status" className="px-3 py-4 text-muted">
                {error ? errorText(error) : t("ui.search.none")}
              </p>
            )}
          </div>
        )}
      </Autocomplete>
    </div>
  );
}
