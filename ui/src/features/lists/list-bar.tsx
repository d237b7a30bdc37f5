import { ListFilter } from "lucide-react";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { SearchField } from "@/components/search-field";
import { useAtLeast } from "@/lib/media";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import type { FilterEntry } from "@/records/list/conditions";
import { maxFilters } from "@/records/list/filters";
import { ColumnsMenu } from "./columns-menu";
import { FilterChip, UnavailableChip } from "./filter-chip";
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
}

/** The head of a list: views, the screen's own controls, search, filters, columns and order. */
export function ListBar({ list, searchLabel, children }: { list: AnyList; searchLabel: string; children?: ReactNode }) {
  const { t } = useTranslation();
  /** The chip whose editor is open: the column, and its number among the filters of the column. */
  const [open, setOpen] = useState<string>();
  /** On phones, filters without a value are in the menu only. */
  const hasRoom = useAtLeast("sm");

  const chips: ChipOfColumn[] = list.columns.flatMap((column) => {
    const entries: (FilterEntry | undefined)[] = list.entries.filter(({ condition }) => condition?.column === column.id);
    const isNew = open === `${column.id} ${entries.length}`;
    const isQuick = column.quick && hasRoom && entries.length === 0;
    const all = isNew || isQuick ? [...entries, undefined] : entries;
    return all.map((entry, at) => ({ key: `${column.id} ${at}`, column, entry }));
  });
  const comesFirst = ({ column }: ChipOfColumn) => column.quick ?? false;
  const unavailable = list.entries.filter(({ condition }) => !condition);

  return (
    <div role="search" className="no-print flex flex-wrap items-center gap-2 border-b border-line px-4 py-3.5">
      <ViewsMenu list={list} />
      {children}
      <SearchField label={searchLabel} value={list.search.text} onChange={list.search.setText} className="w-full sm:w-60" />
      {[...chips.filter(comesFirst), ...chips.filter((chip) => !comesFirst(chip))].map(({ key, column, entry }) => (
        <FilterChip
          key={key}
          list={list}
          column={column}
          entry={entry}
          isOpen={open === key}
          onOpenChange={(isOpen) => setOpen(isOpen ? key : undefined)}
        />
      ))}
      {unavailable.map((entry) => (
        <UnavailableChip key={entry.texts.join()} list={list} entry={entry} />
      ))}
      <AddFilter list={list} onAdd={(id) => setOpen(`${id} ${list.entries.filter(({ condition }) => condition?.column === id).length}`)} />
      {list.entries.length > 0 && (
        <Button variant="ghost" size="sm" onClick={list.clear}>
          {t("ui.list.clearAll")}
        </Button>
      )}
      <div className="ml-auto flex flex-wrap justify-end gap-2">
        <SaveView list={list} />
        <ColumnsMenu list={list} />
      </div>
    </div>
  );
}
