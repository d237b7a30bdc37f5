import { ChevronRight } from "lucide-react";
import { createContext, type ReactElement, type ReactNode, type RefObject, useContext, useEffect, useRef } from "react";
import { Header } from "react-aria-components/Header";
import {
  Menu as Root,
  MenuItem as RootItem,
  type MenuItemProps as RootItemProps,
  type MenuProps as RootProps,
  MenuSection as RootSection,
  type MenuSectionProps as RootSectionProps,
  SubmenuTrigger,
} from "react-aria-components/Menu";
import { Popover as RootPopover } from "react-aria-components/Popover";
import { Separator } from "react-aria-components/Separator";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { type MenuState, useMenuTrigger } from "@/lib/use-menu-trigger";
import { Popover } from "./popover";

const list = "min-h-0 flex-1 overflow-y-auto p-1.5 outline-none";
const row =
  "group flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 font-medium text-gray-700 outline-none select-none focus:bg-hover focus:text-ink focus-visible:highlight open:bg-hover disabled:cursor-default disabled:opacity-45 selected:bg-tint-soft selected:text-on-tint";

const Surface = createContext<{ close?: () => void; from?: MenuState["from"] }>({});

/**
 * Passes the focus from the menu or its surface to the current item. After the click of a key or of a screen reader
 * React Aria means to focus first the menu, then the item, and leaves out the second, because the focus has moved.
 */
function useItemFocus() {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const menu = ref.current;
    const pass = ({ target }: FocusEvent) => {
      if (!menu || !(target instanceof Element) || !target.contains(menu)) return;
      // Once the menu has its items.
      requestAnimationFrame(() => {
        if (document.activeElement === target) menu.querySelector<HTMLElement>('[role^="menuitem"][tabindex="0"]')?.focus();
      });
    };
    document.addEventListener("focusin", pass);
    return () => document.removeEventListener("focusin", pass);
  }, []);
  return ref;
}

/** Milliseconds after which a typed letter begins a new word, as in React Aria. */
const wordPauseMs = 1_000;

/** Moves to the next item that starts with a repeated letter. React Aria finds words and stays on the first match. */
function useNextByLetter(ref: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const menu = ref.current;
    let typed = "";
    let at = 0;
    const move = (event: KeyboardEvent) => {
      if (event.key.length !== 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey) return;
      const letter = fold(event.key);
      typed = event.timeStamp - at < wordPauseMs ? typed + letter : letter;
      at = event.timeStamp;
      const items = [...(menu?.querySelectorAll<HTMLElement>('[role^="menuitem"]:not([aria-disabled="true"])') ?? [])];
      const current = items.indexOf(document.activeElement as HTMLElement);
      const isMatch = (item: HTMLElement | undefined) => fold(item?.textContent.trim() ?? "").startsWith(letter);
      // React Aria goes to the first match, and continues a word.
      if (!isMatch(items[current]) || typed !== letter.repeat(typed.length)) return;
      [...items.slice(current + 1), ...items.slice(0, current)].find(isMatch)?.focus();
    };
    menu?.addEventListener("keydown", move);
    return () => menu?.removeEventListener("keydown", move);
  }, [ref]);
}

/** The list of a menu; arrow keys, a typed letter, Home and End move within it. */
export function Menu<T extends object>({ className, ...rest }: RootProps<T>) {
  const { close, from = "first" } = useContext(Surface);
  const ref = useItemFocus();
  useNextByLetter(ref);
  return (
    <Root
      ref={ref}
      autoFocus={from}
      className={cx(list, typeof className === "string" && className)}
      {...(close && { onClose: close })}
      {...rest}
    />
  );
}

export interface MenuItemProps extends Omit<RootItemProps, "className" | "children"> {
  icon?: ReactNode;
  danger?: boolean;
  children: ReactNode;
}

export function MenuItem({ icon, danger, children, ...rest }: MenuItemProps) {
  return (
    <RootItem
      className={cx(row, danger && "!text-bad focus:!bg-bad-soft")}
      {...(typeof children === "string" && { textValue: children })}
      {...rest}
    >
      {({ hasSubmenu }) => (
        <>
          {icon}
          <span className="min-w-0 flex-1 truncate">{children}</span>
          {hasSubmenu && <ChevronRight aria-hidden size={16} className="text-muted" />}
        </>
      )}
    </RootItem>
  );
}

/** Items under a heading, which may be a choice of their own. */
export function MenuGroup<T extends object>({
  label,
  children,
  ...rest
}: Omit<RootSectionProps<T>, "children"> & { label: string; children: ReactNode }) {
  return (
    <RootSection {...rest}>
      <Header className="px-2.5 pt-2 pb-1 text-xs font-semibold text-muted">{label}</Header>
      {children}
    </RootSection>
  );
}

export function MenuSeparator() {
  return <Separator className="mx-2.5 my-1.5 border-t border-line" />;
}

/** An item that opens a submenu beside it. */
export function Submenu({ item, children }: { item: ReactElement; children: ReactNode }) {
  const surface = useContext(Surface);
  return (
    <SubmenuTrigger>
      {item}
      <RootPopover
        offset={4}
        className="flex min-w-44 flex-col overflow-hidden rounded-xl bg-surface shadow-panel outline-none entering:animate-enter"
      >
        <Surface.Provider value={{ ...surface, from: "first" }}>{children}</Surface.Provider>
      </RootPopover>
    </SubmenuTrigger>
  );
}

export interface MenuPopoverProps extends Omit<Parameters<typeof Popover>[0], "full">, MenuState {
  triggerRef: MenuState["triggerRef"];
}

/** A menu's surface for a button that keeps its own state, such as the header's; named like its button. */
export function MenuPopover({ className, children, label, from, ...rest }: MenuPopoverProps) {
  const button = rest.triggerRef.current;
  const name = label ?? button?.getAttribute("aria-label") ?? button?.textContent ?? undefined;
  return (
    <Popover className={cx("min-w-48 !rounded-xl", className)} label={name} {...rest}>
      <Surface.Provider value={{ close: () => rest.onOpenChange(false), from }}>{children}</Surface.Provider>
    </Popover>
  );
}

export interface MenuButtonProps {
  /** Renders the button with the attributes of a menu button. */
  button: (attributes: ReturnType<typeof useMenuTrigger>["button"]) => ReactNode;
  placement?: NonNullable<MenuPopoverProps["placement"]>;
  children: ReactNode;
}

/** A button and its menu: put a `Menu` inside. */
export function MenuButton({ button, placement, children }: MenuButtonProps) {
  const { button: attributes, menu } = useMenuTrigger();
  return (
    <>
      {button(attributes)}
      <MenuPopover {...menu} {...(placement && { placement })}>
        {children}
      </MenuPopover>
    </>
  );
}
