import { ListFilter } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { SearchField } from "@/components/search-field";
import { focusReturnFrames } from "@/lib/focus-frames";
import { useAtLeast } from "@/lib/media";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import type { FilterEntry } from "@/records/list/conditions";
import { maxFilters } from "@/records/list/filters";
import { ColumnsMenu } from "./columns-menu";
import { FilterChip, UnavailableChip } from "./filter-chip";
import { ListMenu } from "./list-menu";
import type { AnyList } from "./use-list";
import { SaveView, ViewsMenu } from "./views-menu";

/** The button that adds a filter by a column. */
function AddFilter({ list, onAdd }: { list: AnyList; onAdd: (column: string) => void }) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger();
  const isFull = list.state.filters.length >= maxFilters;
  return (
    <>
      <Button
        icon={ListFilter}
        size="sm"
        disabled={isFull}
        {...(isFull && { title: t("ui.list.filters.full", { max: maxFilters }) })}
        {...button}
        ref={(element) => {
          button.ref.current = element;
          list.filterButton.current = element;
        }}
      >
        {t("ui.list.filters.add")}
      </Button>
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom start" className="max-sm:w-[calc(100vw-1rem)]">
          <Menu aria-label={t("ui.list.filters.add")} className="max-h-96" onAction={(key) => onAdd(String(key))}>
            {list.columns.map(({ id, label }) => (
              <MenuItem key={id} id={id}>
                {label}
              </MenuItem>
            ))}
          </Menu>
        </MenuPopover>
      )}
    </>
  );
}

interface ChipOfColumn {
  key: string;
  column: AnyList["columns"][number];
  entry: FilterEntry | undefined;
  /** The place of its first filter among those of the list. */
  at: number;
  isOpen: boolean;
}

/** The chip whose editor is open. It keeps its place while its filter has no value. */
interface OpenChip {
  column: string;
  /** Its place among the entries of the list. */
  place: number;
  /** The number of the other entries. */
  others: number;
}

/** Frames to wait for the chip of a filter that was just applied: the router shows a new address with a delay. */
const maxFrames = 120;

export interface ListBarProps {
  list: AnyList;
  searchLabel: string;
  /** Whether the screen shows rows; if not, there is no column or order to choose. */
  hasRows?: boolean;
  /** The screen's own controls. */
  children?: ReactNode;
}

/** The head of a list: views, the screen's own controls, search, filters, columns and order. */
export function ListBar({ list, searchLabel, hasRows = true, children }: ListBarProps) {
  const { t } = useTranslation();
  const bar = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenChip>();
  /** The filters that the open editor has applied. */
  const applied = useRef<string[]>([]);
  /** On phones, filters without a value are in the menu only. */
  const hasRoom = useAtLeast("sm");

  const { entries, columns } = list;
  const slots: (FilterEntry | undefined)[] = [...entries];
  if (open && entries.length === open.others) slots.splice(open.place, 0, undefined);
  const all: ChipOfColumn[] = [];
  const unavailable: { entry: FilterEntry; at: number }[] = [];
  let at = 0;
  for (const [place, entry] of slots.entries()) {
    const id = entry ? entry.condition?.column : open?.column;
    const column = columns.find((one) => one.id === id);
    if (column) {
      const number = all.filter((chip) => chip.column === column).length;
      const isOpen = open?.place === place && open.column === column.id;
      all.push({ key: `${column.id} ${number}`, column, entry, at, isOpen });
    } else if (entry) unavailable.push({ entry, at });
    at += entry?.texts.length ?? 0;
  }
  const quick = columns.flatMap((column) => {
    if (!column.quick) return [];
    const own = all.filter((chip) => chip.column === column);
    return own.length > 0 || !hasRoom ? own : [{ key: `${column.id} 0`, column, entry: undefined, at, isOpen: false }];
  });
  // The quick ones have a place of their own; the others follow as they were added.
  const chips = [...quick, ...all.filter(({ column }) => !column.quick)];
  const latestChips = useRef(chips);
  latestChips.current = chips;

  const edit = (column: string, entry?: FilterEntry) => {
    applied.current = entry?.texts ?? [];
    const place = entry ? entries.indexOf(entry) : entries.length;
    setOpen({ column, place, others: entries.length - (entry ? 1 : 0) });
  };
  /** Moves the focus to the chip that was edited, or to the button that adds one. */
  const returnFocus = (column: string, frame = 0) =>
    requestAnimationFrame(() => {
      const texts = applied.current.join();
      const chip = latestChips.current.find((one) => one.column.id === column && (one.entry?.texts.join() ?? "") === texts);
      if (frame < focusReturnFrames) return void returnFocus(column, frame + 1);
      const active = document.activeElement;
      const isMoved = active !== document.body && active !== list.filterButton.current;
      if (isMoved && (frame > focusReturnFrames || !bar.current?.contains(active))) return;
      const trigger = chip && bar.current?.querySelector<HTMLElement>(`[data-chip="${CSS.escape(chip.key)}"]`);
      (trigger ?? list.filterButton.current)?.focus({ preventScroll: true });
      if (!trigger && texts && frame < maxFrames) returnFocus(column, frame + 1);
    });

  return (
    <div ref={bar} role="search" className="no-print flex flex-wrap items-center gap-2 border-b border-line px-4 py-3.5">
      <ViewsMenu list={list} />
      {children}
      <SearchField label={searchLabel} value={list.search.text} onChange={list.search.setText} className="w-full sm:w-60" />
      {chips.map(({ key, column, entry, at, isOpen }) => (
        <FilterChip
          key={key}
          name={key}
          list={list}
          column={column}
          entry={entry}
          at={at}
          isOpen={isOpen}
          onOpenChange={(opens) => {
            if (opens) return edit(column.id, entry);
            setOpen(undefined);
            returnFocus(column.id);
          }}
          onApply={(texts) => {
            applied.current = texts;
          }}
        />
      ))}
      {unavailable.map(({ entry, at }) => (
        <UnavailableChip key={entry.texts.join()} list={list} entry={entry} at={at} />
      ))}
      <AddFilter list={list} onAdd={edit} />
      {list.entries.length > 0 && (
        <Button variant="ghost" size="sm" onClick={list.clear}>
          {t("ui.list.clearAll")}
        </Button>
      )}
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2">
        <SaveView list={list} />
        {hasRows && <ColumnsMenu list={list} />}
        {hasRows && <ListMenu list={list} />}
      </div>
    </div>
  );
}
