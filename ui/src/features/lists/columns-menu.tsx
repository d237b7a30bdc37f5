import { ArrowDown, ArrowDownWideNarrow, ArrowUp, ArrowUpDown, ArrowUpNarrowWide, Columns3 } from "lucide-react";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { Checkbox } from "@/components/checkbox";
import { IconButton } from "@/components/icon-button";
import { Popover } from "@/components/popover";
import { Select } from "@/components/select";
import { columnsWithoutRoom } from "@/lib/columns-without-room";
import { isSortable } from "@/records/list/columns";
import type { AnyList } from "./use-list";

/** Chooses the columns of a list, if it has any, and its order. Alt with an arrow key also moves a column. */
export function ColumnsMenu({ list }: { list: AnyList }) {
  const { t } = useTranslation();
  const trigger = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const [moved, setMoved] = useState("");
  const ids = list.shown.map(({ id }) => id);
  /** The shown columns that the list has no room for. Chosen ones all have room: the list scrolls. */
  const [noRoom, setNoRoom] = useState<ReadonlySet<string>>(new Set());
  const key = ids.join();
  useEffect(() => {
    if (!isOpen || !key) return;
    const look = () => setNoRoom(columnsWithoutRoom());
    look();
    addEventListener("resize", look);
    return () => removeEventListener("resize", look);
  }, [isOpen, key]);
  const hidden = list.showable.filter(({ id }) => !ids.includes(id));
  const hasColumns = list.showable.length > 0;
  const order = list.state.sort.replace(/^-/, "");
  const orders = list.columns.filter(isSortable).map(({ id, label }) => ({ value: id, label }));
  const hasManual = !orders.some(({ value }) => value === list.order);
  if (hasManual) orders.unshift({ value: list.order, label: t("ui.list.columns.manual") });
  const title = t(hasColumns ? "ui.list.columns.title" : "ui.list.columns.order");
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
    <>
      <Button
        ref={trigger}
        icon={hasColumns ? Columns3 : ArrowUpDown}
        size="sm"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen(true)}
      >
        {title}
      </Button>
      <Popover triggerRef={trigger} isOpen={isOpen} onOpenChange={setOpen} className="w-84 max-sm:w-[calc(100vw-1rem)]">
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
          {hasColumns && (
            <ul className="min-h-0 flex-1 overflow-y-auto border-t border-line p-2">
              {[...list.shown, ...hidden].map(({ id, label }) => {
                const at = ids.indexOf(id);
                const isShown = at !== -1;
                return (
                  <li key={id} className="flex min-h-9 items-center gap-1 rounded-lg pr-1 pl-2 hover:bg-hover">
                    <Checkbox
                      className="min-h-9 min-w-0 flex-1"
                      checked={isShown}
                      disabled={isShown && ids.length === 1}
                      onKeyDown={(event) => isShown && byKey(event, id, label)}
                      onChange={(event) => set(event.target.checked ? [...ids, id] : ids.filter((other) => other !== id))}
                    >
                      <span className="grid min-w-0 py-1">
                        <span dir="auto" className="truncate" title={label}>
                          {label}
                        </span>
                        {isShown && noRoom.has(id) && <span className="text-xs text-muted">{t("ui.list.columns.noRoom")}</span>}
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
    </>
  );
}
