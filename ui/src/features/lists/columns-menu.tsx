import { ArrowDown, ArrowDownWideNarrow, ArrowUp, ArrowUpDown, ArrowUpNarrowWide, Columns3 } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { IconButton } from "@/components/icon-button";
import { Popover } from "@/components/popover";
import { Select } from "@/components/select";
import { columnsWithoutRoom } from "@/lib/columns-without-room";
import { useAtLeast } from "@/lib/media";
import { isSortable } from "@/records/list/columns";
import type { AnyList } from "./use-list";

/** What the button of the menu of columns is called: the list may have an order only. */
export function useColumnsTitle(list: AnyList) {
  const { t } = useTranslation();
  const hasColumns = list.showable.length > 0;
  return { title: t(hasColumns ? "ui.list.columns.title" : "ui.list.columns.order"), icon: hasColumns ? Columns3 : ArrowUpDown };
}

/** The button that opens the columns and the order of a list. */
export function ColumnsMenu({ list }: { list: AnyList }) {
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const { title, icon } = useColumnsTitle(list);
  return (
    <>
      <IconButton
        ref={trigger}
        label={title}
        icon={icon}
        size="sm"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      />
      <ColumnsPopover list={list} triggerRef={trigger} isOpen={isOpen} onOpenChange={setOpen} />
    </>
  );
}

export interface ColumnsPopoverProps {
  list: AnyList;
  triggerRef: RefObject<HTMLElement | null>;
  isOpen: boolean;
  onOpenChange: (isOpen: boolean) => void;
}

/** Chooses the columns of a list, if it has any, and its order. Alt with an arrow key also moves a column. */
export function ColumnsPopover({ list, triggerRef, isOpen, onOpenChange }: ColumnsPopoverProps) {
  const { t } = useTranslation();
  const hasTable = useAtLeast("sm");
  const [moved, setMoved] = useState("");
  const ids = list.shown.map(({ id }) => id);
  /** The usual columns that the width of the screen hides. Chosen ones are all shown: the table scrolls. */
  const [noRoom, setNoRoom] = useState<ReadonlySet<string>>(new Set());
  const key = ids.join();
  useEffect(() => {
    if (!isOpen || !key || list.isChosen) return setNoRoom(new Set());
    const look = () => setNoRoom(columnsWithoutRoom());
    look();
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, [isOpen, key, list.isChosen]);
  const hidden = list.showable.filter(({ id }) => !ids.includes(id));
  const hasColumns = list.showable.length > 0;
  const order = list.state.sort.replace(/^-/, "");
  const orders = list.columns.filter(isSortable).map(({ id, label }) => ({ value: id, label }));
  const hasManual = !orders.some(({ value }) => value === list.order);
  if (hasManual) orders.unshift({ value: list.order, label: t("ui.list.columns.manual") });
  const { title } = useColumnsTitle(list);
  const isDescending = list.state.sort !== order;
  const set = (next: string[]) => list.setColumns(next.join() === list.usual.join() ? [] : next);
  const move = (id: string, name: string, by: number) => {
    const to = ids.indexOf(id) + by;
    if (to < 0 || to >= ids.length) return;
    set(ids.toSpliced(to - by, 1).toSpliced(to, 0, id));
    setMoved(t("ui.list.columns.place", { name, place: to + 1, total: ids.length }));
  };
  const byKey = (event: KeyboardEvent, id: string, name: string) => {
    if (!event.altKey || (event.key !== "ArrowUp" && event.key !== "ArrowDown")) return;
    event.preventDefault();
    move(id, name, event.key === "ArrowUp" ? -1 : 1);
  };
  return (
    <Popover triggerRef={triggerRef} isOpen={isOpen} onOpenChange={onOpenChange} className="w-84 max-sm:w-[calc(100vw-1rem)]">
      <Dialog aria-label={title} className="flex min-h-0 flex-col outline-none">
        <div className="flex items-end gap-1 p-3">
          <Select
            label={t("ui.list.columns.order")}
            hideLabel={!hasColumns}
            size="sm"
            className="flex-1"
            value={order}
            onChange={(id) => list.setSort(id)}
            options={orders}
          />
          <IconButton
            label={t(isDescending ? "ui.list.columns.descending" : "ui.list.columns.ascending")}
            icon={isDescending ? ArrowDownWideNarrow : ArrowUpNarrowWide}
            size="sm"
            disabled={hasManual && order === list.order}
            onClick={() => list.setSort(isDescending ? order : `-${order}`)}
          />
        </div>
        {hasColumns && !hasTable && !list.isChosen && (
          <p className="border-t border-line px-4 py-2 text-sm text-muted">{t("ui.list.columns.cards")}</p>
        )}
        {hasColumns && (
          <ul className="min-h-0 flex-1 overflow-y-auto border-t border-line p-2">
            {[...list.shown, ...hidden].map(({ id, label }) => {
              const at = ids.indexOf(id);
              const isHidden = noRoom.has(id);
              const isShown = at !== -1 && !isHidden;
              // To choose a hidden one is to choose all usual ones: the table scrolls then.
              const show = () => (isHidden ? list.setColumns(ids) : set([...ids, id]));
              return (
                <li key={id} className="flex min-h-9 items-center gap-1 rounded-lg pr-1 pl-2 hover:bg-hover">
                  <Checkbox
                    className="min-h-9 min-w-0 flex-1"
                    checked={isShown}
                    disabled={isShown && ids.length === 1}
                    onKeyDown={(event) => isShown && byKey(event, id, label)}
                    onChange={(event) => (event.target.checked ? show() : set(ids.filter((other) => other !== id)))}
                  >
                    <span className="grid min-w-0 py-1">
                      <span dir="auto" className="truncate" title={label}>
                        {label}
                      </span>
                      {isHidden && <span className="text-xs text-muted">{t("ui.list.columns.noRoom")}</span>}
                    </span>
                  </Checkbox>
                  {isShown && (
                    <>
                      {/* Not disabled at the ends, so that the focus stays. */}
                      <IconButton
                        label={t("ui.list.columns.up", { name: label })}
                        icon={ArrowUp}
                        size="sm"
                        aria-disabled={at === 0}
                        className="aria-disabled:opacity-40"
                        onClick={() => move(id, label, -1)}
                      />
                      <IconButton
                        label={t("ui.list.columns.down", { name: label })}
                        icon={ArrowDown}
                        size="sm"
                        aria-disabled={at === ids.length - 1}
                        className="aria-disabled:opacity-40"
                        onClick={() => move(id, label, 1)}
                      />
                    </>
                  )}
                </li>
              );
            })}
          </ul>
        )}
        {list.isChosen && (
          <div className="border-t border-line p-2">
            <Button variant="ghost" size="sm" wide onClick={() => list.setColumns([])}>
              {t("ui.list.columns.usual")}
            </Button>
          </div>
        )}
        <p aria-live="polite" className="sr-only">
          {moved}
        </p>
      </Dialog>
    </Popover>
  );
}
