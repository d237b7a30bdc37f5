import { FilterX, ListFilter } from "lucide-react";
import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { Menu, MenuGroup, MenuItem, MenuPopover } from "@/components/menu";
import { SearchField } from "@/components/search-field";
import { cx } from "@/lib/cx";
import { focusReturnFrames } from "@/lib/focus-frames";
import { formatNumber } from "@/lib/format";
import { useAtLeast } from "@/lib/media";
import { minSearchLength } from "@/lib/search-params";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import type { FilterEntry } from "@/records/list/conditions";
import { maxFilters } from "@/records/list/filters";
import { ColumnsMenu } from "./columns-menu";
import { ConditionText, FilterChip, UnavailableChip } from "./filter-chip";
import { ListMenu } from "./list-menu";
import type { AnyList } from "./use-list";
import { SaveView, ViewsMenu } from "./views-menu";

interface ChipOfColumn {
  key: string;
  column: AnyList["columns"][number];
  entry: FilterEntry | undefined;
  /** The place of its first filter among those of the list. */
  at: number;
  isOpen: boolean;
}

/** The filters of chips as items of a menu, which edit them. */
function FilterItems({ chips, onEdit }: { chips: ChipOfColumn[]; onEdit: (chip: ChipOfColumn) => void }) {
  const { t } = useTranslation();
  return (
    <MenuGroup label={t("ui.list.filters.active")}>
      {chips.map((chip) => (
        <MenuItem key={chip.key} textValue={chip.column.label} onAction={() => onEdit(chip)}>
          {chip.entry?.condition ? <ConditionText column={chip.column} condition={chip.entry.condition} /> : chip.column.label}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}

interface AddFilterProps {
  list: AnyList;
  /** The filters that are shown in its menu only. */
  hidden: ChipOfColumn[];
  onAdd: (column: string) => void;
  onEdit: (chip: ChipOfColumn) => void;
}

/** The button that adds a filter by a column; on phones, also the filters there are. */
function AddFilter({ list, hidden, onAdd, onEdit }: AddFilterProps) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger();
  const hasRoom = useAtLeast("sm");
  const count = list.entries.length;
  const isFull = list.state.filters.length >= maxFilters;
  const columns = list.columns.map(({ id, label }) => (
    <MenuItem key={id} id={id} isDisabled={isFull} onAction={() => onAdd(id)}>
      {label}
    </MenuItem>
  ));
  return (
    <>
      <Button
        icon={ListFilter}
        size="sm"
        variant={count > 0 && !hasRoom ? "active" : "secondary"}
        disabled={isFull && hidden.length === 0}
        {...(isFull && { title: t("ui.list.filters.full", { max: maxFilters }) })}
        {...button}
        {...(count > 0 && !hasRoom && { "aria-label": t("ui.list.filters.addCount", { count, total: formatNumber(count) }) })}
        className="shrink-0 max-sm:px-2.5"
        ref={(element) => {
          button.ref.current = element;
          list.filterButton.current = element;
        }}
      >
        <span className="max-sm:sr-only">{t("ui.list.filters.add")}</span>
        {count > 0 && !hasRoom && (
          <span aria-hidden className="tabular-nums">
            {formatNumber(count)}
          </span>
        )}
      </Button>
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom start" className="max-sm:w-[calc(100vw-1rem)]">
          <Menu aria-label={t("ui.list.filters.add")} className="max-h-96">
            {hidden.length > 0 && <FilterItems chips={hidden} onEdit={onEdit} />}
            {count > 0 && !hasRoom && <MenuItem onAction={list.clear}>{t("ui.list.clearAll")}</MenuItem>}
            {hidden.length > 0 ? <MenuGroup label={t("ui.list.filters.newFilter")}>{columns}</MenuGroup> : columns}
          </Menu>
        </MenuPopover>
      )}
    </>
  );
}

/** The button for the filters that the bar has no room for. */
function MoreFilters({ hidden, onEdit }: { hidden: ChipOfColumn[]; onEdit: (chip: ChipOfColumn) => void }) {
  const { t } = useTranslation();
  const { button, menu } = useMenuTrigger();
  const total = formatNumber(hidden.length);
  const label = t("ui.list.filters.more", { count: hidden.length, total });
  return (
    <>
      <Button size="sm" variant="active" className="shrink-0" aria-label={label} title={label} {...button}>
        {`+${total}`}
      </Button>
      {menu.isOpen && (
        <MenuPopover {...menu} placement="bottom start">
          <Menu aria-label={label} className="max-h-96">
            <FilterItems chips={hidden} onEdit={onEdit} />
          </Menu>
        </MenuPopover>
      )}
    </>
  );
}

/** Pixels that a filter of the bar has at least, with the gap after it. */
const chipRoom = 136;

/** Returns how many filters an element has room for; undefined until it was measured. */
function useChipRoom(): { area: RefObject<HTMLDivElement | null>; room: number | undefined } {
  const area = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState<number>();
  useLayoutEffect(() => {
    const { current } = area;
    if (!current) return;
    // Without a layout, as in tests of components, all have room.
    const measure = () => current.clientWidth > 0 && setRoom(Math.floor((current.clientWidth + 8) / chipRoom));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return { area, room };
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
  /** Those that are items of the menu on phones. */
  menu?: ReactNode;
}

/** The head of a list: views, the screen's own controls, search, filters, columns and order. */
export function ListBar({ list, searchLabel, hasRows = true, children, menu }: ListBarProps) {
  const { t } = useTranslation();
  const bar = useRef<HTMLDivElement>(null);
  const note = useId();
  const { isTooShort } = list.search;
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
  const set = chips.filter(({ entry }) => entry);
  const { area, room = chips.length } = useChipRoom();
  // Filters come first, and one whose editor is open; those without a value have what room is left.
  const isWhole = set.length <= room;
  const shownSet = !hasRoom ? [] : isWhole ? set : set.slice(0, Math.max(0, room - 1));
  const spare = hasRoom ? Math.max(0, room - set.length - unavailable.length) : 0;
  const shownUnset = chips.filter(({ entry }) => !entry).slice(0, spare);
  const shown = chips.filter((chip) => chip.isOpen || shownSet.includes(chip) || shownUnset.includes(chip));
  const hidden = set.filter((chip) => !shown.includes(chip));
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
      const texts = applied.current;
      // A lower end and the upper end after it became one chip.
      const isChip = ({ entry }: ChipOfColumn) => (texts.length > 0 ? texts.every((text) => entry?.texts.includes(text)) : !entry);
      const chip = latestChips.current.find((one) => one.column.id === column && isChip(one));
      if (frame < focusReturnFrames) return void returnFocus(column, frame + 1);
      const active = document.activeElement;
      const isMoved = active !== document.body && active !== list.filterButton.current;
      if (isMoved && (frame > focusReturnFrames || !bar.current?.contains(active))) return;
      const trigger = chip && bar.current?.querySelector<HTMLElement>(`[data-chip="${CSS.escape(chip.key)}"]`);
      (trigger ?? list.filterButton.current)?.focus({ preventScroll: true });
      if (!trigger && texts.length > 0 && frame < maxFrames) returnFocus(column, frame + 1);
    });

  const editChip = ({ column, entry }: ChipOfColumn) => setTimeout(() => edit(column.id, entry));
  return (
    <div ref={bar} role="search" className="no-print @container border-b border-line">
      {/* On phones, what is typed gets the place of the button for views. */}
      <div className="flex flex-wrap items-center gap-2 px-4 py-3.5 max-sm:py-2.5 max-sm:has-[input[type=search]:focus]:[&>button:first-child]:sr-only">
        <ViewsMenu list={list} />
        {children && <div className="flex shrink-0 flex-wrap gap-2 max-sm:order-last max-sm:w-full">{children}</div>}
        <SearchField
          label={searchLabel}
          value={list.search.text}
          onChange={list.search.setText}
          describedBy={isTooShort ? note : undefined}
          className={cx(
            "min-w-0 max-sm:flex-1 sm:min-w-36",
            children ? "@max-4xl:flex-1 @4xl:w-44 @4xl:shrink-0 @5xl:w-52" : "@max-2xl:flex-1 @2xl:w-44 @2xl:shrink-0 @4xl:w-52",
          )}
        />
        {/* Where the other controls leave too little room, the rest has a second line. */}
        <div
          className={cx(
            "flex min-w-0 items-center gap-2 max-sm:contents sm:flex-1",
            children ? "sm:@max-4xl:order-last sm:@max-4xl:basis-3/5" : "sm:@max-2xl:order-last sm:@max-2xl:basis-3/5",
          )}
        >
          <div ref={area} className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:w-full max-sm:empty:hidden sm:flex-1">
            {shown.map(({ key, column, entry, at, isOpen }) => (
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
            {hasRoom && hidden.length > 0 && <MoreFilters hidden={hidden} onEdit={editChip} />}
          </div>
          <AddFilter list={list} hidden={hasRoom ? [] : hidden} onAdd={(column) => setTimeout(() => edit(column))} onEdit={editChip} />
          {hasRoom && list.entries.length > 0 && <IconButton label={t("ui.list.clearAll")} icon={FilterX} size="sm" onClick={list.clear} />}
        </div>
        <div
          className={cx(
            "ml-auto flex shrink-0 items-center justify-end gap-1",
            children ? "sm:@max-4xl:order-last" : "sm:@max-2xl:order-last",
          )}
        >
          <SaveView list={list} />
          {hasRows && hasRoom && <ColumnsMenu list={list} />}
          {hasRows && <ListMenu list={list}>{menu}</ListMenu>}
        </div>
      </div>
      <p role="status" id={note} className={cx(isTooShort && "px-4 pb-2.5 text-sm text-soft")}>
        {isTooShort && t("ui.search.tooShort", { min: minSearchLength })}
      </p>
    </div>
  );
}
