import { ArrowDown, ArrowDownToLine, ArrowUp, ArrowUpToLine, GripVertical, Pencil } from "lucide-react";
import { type KeyboardEvent, type PointerEvent, useLayoutEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Shortcut } from "@/api/schema";
import { Icon } from "@/components/icon";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { SafeLink } from "@/components/safe-link";
import { Tooltip } from "@/components/tooltip";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { moved, placeByKey } from "./order";

const grid = "grid grid-cols-2 [&>li]:-mr-px [&>li]:border-r [&>li]:border-b [&>li]:border-hover";
const cell =
  "group/cell flex h-full w-full flex-col items-center gap-0.5 px-3 py-6 text-center hover:bg-sunken focus-visible:-outline-offset-2";

function Face({ shortcut, editing }: { shortcut: Shortcut; editing: boolean }) {
  return (
    <>
      <span className="mb-2.5 grid size-12 place-items-center rounded-full bg-hover text-soft">
        {editing ? (
          <>
            {/* On touch screens, only the pencil shows that a press edits. */}
            <Icon
              name={shortcut.icon}
              size={22}
              className="hidden [@media(hover:hover)]:block [@media(hover:hover)]:group-hover/cell:hidden [@media(hover:hover)]:group-focus-visible/cell:hidden"
            />
            <Pencil
              aria-hidden
              size={20}
              className="[@media(hover:hover)]:hidden [@media(hover:hover)]:group-hover/cell:block [@media(hover:hover)]:group-focus-visible/cell:block"
            />
          </>
        ) : (
          <Icon name={shortcut.icon} size={22} />
        )}
      </span>
      <span dir="auto" className="line-clamp-2 w-full font-medium text-ink [overflow-wrap:anywhere]">
        {shortcut.label}
      </span>
      {shortcut.description && (
        <span dir="auto" className="line-clamp-2 w-full text-sm text-muted [overflow-wrap:anywhere]">
          {shortcut.description}
        </span>
      )}
    </>
  );
}

/** Shortcuts as links. */
export function ShortcutLinks({ list, onFollow }: { list: Shortcut[]; onFollow: () => void }) {
  return (
    <ul className={grid}>
      {list.map((shortcut) => (
        <li key={shortcut.id}>
          <SafeLink link={shortcut.link} useRouter={shortcut.useRouter} className={cell} onClick={onFollow}>
            <Face shortcut={shortcut} editing={false} />
          </SafeLink>
        </li>
      ))}
    </ul>
  );
}

export interface ShortcutEditorProps {
  list: Shortcut[];
  onEdit: (shortcut: Shortcut) => void;
  onOrder: (ids: string[]) => void;
}

/**
 * Shortcuts to edit and order: a handle is dragged by mouse or finger, moved by the arrow keys, or pressed for a menu
 * with the same commands.
 */
export function ShortcutEditor({ list, onEdit, onOrder }: ShortcutEditorProps) {
  const { t } = useTranslation();
  const ids = list.map(({ id }) => id);
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
    const label = list.find((one) => one.id === id)?.label ?? "";
    setSaid(t("ui.shortcuts.movedTo", { label, place: formatNumber(next.indexOf(id) + 1), count: formatNumber(next.length) }));
    focused.current = id;
    if (next.join() !== ids.join()) onOrder(next);
  };
  // An element that moves in the document loses the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the order changes
  useLayoutEffect(() => {
    if (focused.current && document.activeElement === document.body) handles.current.get(focused.current)?.focus();
  }, [ids.join()]);

  const onMove = (event: PointerEvent<HTMLElement>) => {
    const at = press.current;
    if (!at || (!at.dragged && Math.hypot(event.clientX - at.x, event.clientY - at.y) < 6)) return;
    at.dragged = true;
    const scroller = event.currentTarget.closest<HTMLElement>("[data-scroll]");
    const view = scroller?.getBoundingClientRect();
    if (view && event.clientY < view.top + 32) scroller?.scrollBy({ top: -12 });
    if (view && event.clientY > view.bottom - 32) scroller?.scrollBy({ top: 12 });
    const over = document
      .elementsFromPoint(event.clientX, event.clientY)
      .map((element) => element.closest<HTMLElement>("[data-shortcut]")?.dataset.shortcut)
      .find((id) => id !== undefined);
    setDrag({ id: at.id, order: over ? moved(order, at.id, order.indexOf(over)) : order });
  };
  const onRelease = () => {
    if (drag) moveTo(drag.id, drag.order.indexOf(drag.id));
    setDrag(undefined);
  };
  const openMenu = (handle: HTMLElement, id: string) => {
    trigger.current = handle;
    setMenu(id);
  };
  const onKey = (event: KeyboardEvent, id: string) => {
    if (event.key === "Escape" && press.current?.dragged) {
      event.stopPropagation();
      press.current = undefined;
      setDrag(undefined);
      return;
    }
    const to = placeByKey(event.key, ids.indexOf(id), ids.length, 2);
    if (to === undefined) return;
    event.preventDefault();
    moveTo(id, to);
  };
  const choices = [
    { to: () => 0, label: t("ui.shortcuts.toTop"), icon: ArrowUpToLine },
    { to: (at: number) => at - 1, label: t("ui.shortcuts.earlier"), icon: ArrowUp },
    { to: (at: number) => at + 1, label: t("ui.shortcuts.later"), icon: ArrowDown },
    { to: () => ids.length - 1, label: t("ui.shortcuts.toEnd"), icon: ArrowDownToLine },
  ];

  return (
    <>
      <ul className={grid}>
        {list.map((shortcut) => (
          <li
            key={shortcut.id}
            data-shortcut={shortcut.id}
            // The document order stays during a drag: a moved element would lose the pointer.
            style={{ order: order.indexOf(shortcut.id) }}
            className={cx("relative", drag?.id === shortcut.id && "z-1 bg-tint-soft shadow-card ring-2 ring-primary ring-inset")}
          >
            <button
              type="button"
              data-edit={shortcut.id}
              aria-label={t("ui.shortcuts.editNamed", { label: shortcut.label })}
              className={cell}
              onClick={() => onEdit(shortcut)}
            >
              <Face shortcut={shortcut} editing />
            </button>
            {list.length > 1 && (
              <Tooltip text={t("ui.shortcuts.move")}>
                <button
                  type="button"
                  ref={(node) => {
                    if (node) handles.current.set(shortcut.id, node);
                    else handles.current.delete(shortcut.id);
                  }}
                  aria-label={t("ui.shortcuts.moveNamed", { label: shortcut.label })}
                  aria-haspopup="menu"
                  aria-expanded={menu === shortcut.id}
                  onPointerDown={(event) => {
                    if (event.button !== 0) return;
                    event.currentTarget.setPointerCapture(event.pointerId);
                    press.current = { id: shortcut.id, x: event.clientX, y: event.clientY, dragged: false };
                  }}
                  onPointerMove={onMove}
                  onPointerUp={onRelease}
                  onPointerCancel={() => {
                    press.current = undefined;
                    setDrag(undefined);
                  }}
                  onKeyDown={(event) => onKey(event, shortcut.id)}
                  onClick={(event) => {
                    const dragged = press.current?.dragged;
                    press.current = undefined;
                    if (!dragged) openMenu(event.currentTarget, shortcut.id);
                  }}
                  className="absolute top-1.5 right-1.5 grid size-8 cursor-grab touch-none place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink active:cursor-grabbing"
                >
                  <GripVertical aria-hidden size={18} />
                </button>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
      <MenuPopover triggerRef={trigger} isOpen={menu !== undefined} onOpenChange={(open) => !open && setMenu(undefined)}>
        <Menu aria-label={t("ui.shortcuts.move")}>
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
