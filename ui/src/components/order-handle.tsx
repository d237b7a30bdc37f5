import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, GripVertical } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { moved, placeByKey } from "@/lib/order";
import { Menu, MenuItem, MenuPopover } from "./menu";
import { Tooltip } from "./tooltip";

/** Pixels that a handle is dragged before its item moves. */
const slack = 6;
/** Pixels at the edges of a panel in which it scrolls, and pixels of a step. */
const edge = 32;
const step = 12;

export interface OrderOptions {
  /** The items in their order. */
  ids: string[];
  /** Items beside each other. */
  columns?: number;
  nameOf: (id: string) => string;
  onOrder: (ids: string[], id: string) => void;
}

/**
 * Orders items by their handles: they are dragged by mouse or finger, moved by the arrow keys, or pressed for a menu with
 * the same commands. The list shows `item` on its elements, an `OrderHandle` in each, and an `OrderMenu`.
 */
export function useOrder({ ids, columns = 1, nameOf, onOrder }: OrderOptions) {
  const { t } = useTranslation();
  const [drag, setDrag] = useState<{ id: string; order: string[] } | undefined>();
  const [menu, setMenu] = useState<string | undefined>();
  const [said, setSaid] = useState("");
  const press = useRef<{ id: string; x: number; y: number; dragged: boolean } | undefined>(undefined);
  const handles = useRef(new Map<string, HTMLButtonElement>());
  const trigger = useRef<HTMLElement | null>(null);
  const focused = useRef<string | undefined>(undefined);
  const order = drag?.order ?? ids;

  const moveTo = (id: string, to: number) => {
    const next = moved(ids, id, to);
    const place = formatNumber(next.indexOf(id) + 1);
    setSaid(t("ui.order.movedTo", { label: nameOf(id), place, count: formatNumber(next.length) }));
    focused.current = id;
    if (next.join() !== ids.join()) onOrder(next, id);
  };
  // An element that moves in the document loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the order changes
  useLayoutEffect(() => {
    if (focused.current && document.activeElement === document.body) handles.current.get(focused.current)?.focus();
  }, [ids.join()]);

  const stop = () => {
    press.current = undefined;
    setDrag(undefined);
  };
  const onMove = (event: PointerEvent<HTMLElement>) => {
    const at = press.current;
    if (!at || (!at.dragged && Math.hypot(event.clientX - at.x, event.clientY - at.y) < slack)) return;
    at.dragged = true;
    const scroller = event.currentTarget.closest<HTMLElement>("[data-scroll]");
    const view = scroller?.getBoundingClientRect();
    if (view && event.clientY < view.top + edge) scroller?.scrollBy({ top: -step });
    if (view && event.clientY > view.bottom - edge) scroller?.scrollBy({ top: step });
    const over = document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((element) => element.closest<HTMLElement>("[data-ordered]")?.dataset.ordered)
      .find((id) => id !== undefined && ids.includes(id));
    setDrag({ id: at.id, order: over ? moved(order, at.id, order.indexOf(over)) : order });
  };
  const onKey = (event: KeyboardEvent, id: string) => {
    if (event.key === "Escape" && press.current?.dragged) {
      event.stopPropagation();
      return stop();
    }
    const to = placeByKey(event.key, ids.indexOf(id), ids.length, columns);
    if (to === undefined) return;
    event.preventDefault();
    moveTo(id, to);
  };
  return {
    ids,
    nameOf,
    moveTo,
    said,
    menu,
    setMenu,
    trigger,
    dragged: drag?.id,
    /** The attributes of the element of an item. The document order stays during a drag: a moved element would lose the pointer. */
    item: (id: string) => ({ "data-ordered": id, style: { order: order.indexOf(id) } }),
    /** The attributes of the handle of an item. */
    handle: (id: string) => ({
      ref: (node: HTMLButtonElement | null) => {
        if (node) handles.current.set(id, node);
        else handles.current.delete(id);
      },
      "aria-label": t("ui.order.moveNamed", { label: nameOf(id) }),
      "aria-expanded": menu === id,
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        if (event.button !== 0) return;
        event.currentTarget.setPointerCapture(event.pointerId);
        press.current = { id, x: event.clientX, y: event.clientY, dragged: false };
      },
      onPointerMove: onMove,
      onPointerUp: () => {
        if (drag) moveTo(drag.id, drag.order.indexOf(drag.id));
        setDrag(undefined);
      },
      onPointerCancel: stop,
      onKeyDown: (event: KeyboardEvent) => onKey(event, id),
      onClick: ({ currentTarget }: { currentTarget: HTMLElement }) => {
        const dragged = press.current?.dragged;
        press.current = undefined;
        if (dragged) return;
        trigger.current = currentTarget;
        setMenu(id);
      },
    }),
  };
}

export type Ordering = ReturnType<typeof useOrder>;

/** The classes of an item that is dragged. */
export const draggedClass = "z-1 bg-tint-soft shadow-card ring-2 ring-primary";

/** The handle of an item. */
export function OrderHandle({ ordering, id, className }: { ordering: Ordering; id: string; className?: string }) {
  const { t } = useTranslation();
  return (
    <Tooltip text={t("ui.order.move")}>
      <button
        type="button"
        aria-haspopup="menu"
        {...ordering.handle(id)}
        className={cx(
          "grid size-8 shrink-0 cursor-grab touch-none place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink active:cursor-grabbing",
          className,
        )}
      >
        <GripVertical aria-hidden size={18} />
      </button>
    </Tooltip>
  );
}

/** The menu of the handles, and what a screen reader says of a move. */
export function OrderMenu({ ordering: { ids, menu, setMenu, trigger, moveTo, said } }: { ordering: Ordering }) {
  const { t } = useTranslation();
  const choices = [
    { to: () => 0, label: t("ui.order.toTop"), icon: ArrowUpToLine },
    { to: (at: number) => at - 1, label: t("ui.order.earlier"), icon: ArrowUp },
    { to: (at: number) => at + 1, label: t("ui.order.later"), icon: ArrowDown },
    { to: () => ids.length - 1, label: t("ui.order.toEnd"), icon: ArrowDownToLine },
  ];
  return (
    <>
      <MenuPopover triggerRef={trigger} isOpen={menu !== undefined} onOpenChange={(open) => !open && setMenu(undefined)}>
        <Menu aria-label={t("ui.order.move")}>
          {choices.map(({ to, label, icon: Sign }) => (
            <MenuItem
              key={label}
              icon={<Sign aria-hidden size={16} />}
              isDisabled={menu !== undefined && moved(ids, menu, to(ids.indexOf(menu))).join() === ids.join()}
              onAction={() => menu && moveTo(menu, to(ids.indexOf(menu)))}
            >
              {label}
            </MenuItem>
          ))}
        </Menu>
      </MenuPopover>
      <p role="status" className="sr-only">
        {said}
      </p>
    </>
  );
}
