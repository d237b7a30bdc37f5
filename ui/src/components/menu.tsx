import { ChevronRight } from "lucide-react";
import { type ComponentPropsWithRef, createContext, type ReactElement, type ReactNode, useContext, useRef, useState } from "react";
import {
  Menu as Root,
  MenuItem as RootItem,
  type MenuItemProps as RootItemProps,
  type MenuProps as RootProps,
  SubmenuTrigger,
} from "react-aria-components/Menu";
import { Popover as RootPopover } from "react-aria-components/Popover";
import { Separator } from "react-aria-components/Separator";
import { cx } from "@/lib/cx";
import { Popover } from "./popover";

const list = "min-h-0 flex-1 overflow-y-auto p-1.5 outline-none";
const row =
  "group flex min-h-9 cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 font-medium text-gray-700 outline-none select-none focus:bg-hover focus:text-ink open:bg-hover disabled:cursor-default disabled:opacity-45 selected:bg-tint-soft selected:text-on-tint";

const MenuClose = createContext<(() => void) | undefined>(undefined);

/** The list of a menu; arrow keys, a typed letter, Home and End move within it. */
export function Menu<T extends object>({ className, ...rest }: RootProps<T>) {
  const close = useContext(MenuClose);
  return (
    <Root autoFocus="first" className={cx(list, typeof className === "string" && className)} {...(close && { onClose: close })} {...rest} />
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

export function MenuSeparator() {
  return <Separator className="mx-2.5 my-1.5 border-t border-line" />;
}

/** An item that opens a submenu beside it. */
export function Submenu({ item, children }: { item: ReactElement; children: ReactNode }) {
  return (
    <SubmenuTrigger>
      {item}
      <RootPopover
        offset={4}
        className="flex min-w-44 flex-col overflow-hidden rounded-xl bg-surface shadow-panel outline-none entering:animate-enter"
      >
        {children}
      </RootPopover>
    </SubmenuTrigger>
  );
}

export interface MenuPopoverProps extends Omit<Parameters<typeof Popover>[0], "full"> {}

/** A menu's surface for a button that keeps its own state, such as the header's; named like its button. */
export function MenuPopover({ className, children, label, ...rest }: MenuPopoverProps) {
  const button = rest.triggerRef.current;
  const name = label ?? button?.getAttribute("aria-label") ?? button?.textContent ?? undefined;
  return (
    <Popover className={cx("min-w-48 !rounded-xl", className)} label={name} {...rest}>
      <MenuClose.Provider value={() => rest.onOpenChange(false)}>{children}</MenuClose.Provider>
    </Popover>
  );
}

export interface MenuButtonProps {
  /** Renders the button with the attributes of a menu button. */
  button: (attributes: Pick<ComponentPropsWithRef<"button">, "ref" | "onClick" | "aria-haspopup" | "aria-expanded">) => ReactNode;
  placement?: NonNullable<MenuPopoverProps["placement"]>;
  children: ReactNode;
}

/** A button and its menu: put a `Menu` inside. */
export function MenuButton({ button, placement, children }: MenuButtonProps) {
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      {button({ ref, onClick: () => setOpen(true), "aria-haspopup": "menu", "aria-expanded": open })}
      <MenuPopover triggerRef={ref} isOpen={open} onOpenChange={setOpen} {...(placement && { placement })}>
        {children}
      </MenuPopover>
    </>
  );
}
