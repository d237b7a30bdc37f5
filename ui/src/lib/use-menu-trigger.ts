import { type KeyboardEvent, type RefObject, useRef, useState } from "react";

/** What a menu button tells its menu. */
export interface MenuState {
  triggerRef: RefObject<HTMLElement | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  /** The item that gets the focus first, if none is selected. */
  from?: "first" | "last";
}

/** The state of a menu and the attributes of its button: ArrowDown opens it at its first item, ArrowUp at its last. */
export function useMenuTrigger(onOpenChange?: (open: boolean) => void) {
  const triggerRef = useRef<HTMLButtonElement>(null);
  const [from, setFrom] = useState<MenuState["from"]>();
  const isOpen = from !== undefined;
  const change = (next: MenuState["from"]) => {
    setFrom(next);
    onOpenChange?.(next !== undefined);
  };
  const button = {
    ref: triggerRef,
    "aria-haspopup": "menu",
    "aria-expanded": isOpen,
    onClick: () => change("first"),
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault();
      change(event.key === "ArrowUp" ? "last" : "first");
    },
  } as const;
  const menu: MenuState = { triggerRef, isOpen, onOpenChange: (open) => change(open ? "first" : undefined), ...(from && { from }) };
  return { button, menu };
}
