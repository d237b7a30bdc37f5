import type { ReactNode, RefObject } from "react";
import { Popover as Root, type PopoverProps as RootProps } from "react-aria-components/Popover";
import { cx } from "@/lib/cx";

export interface PopoverProps {
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  placement?: NonNullable<RootProps["placement"]>;
  /** Fills the screen below sm, as panels do. */
  full?: boolean;
  /** The accessible name, if no dialog inside has its own. */
  label?: string | undefined;
  className?: string;
  children: ReactNode;
}

/** A popover beside its button: closes on a click outside and on Escape, and returns the focus. */
export function Popover({ full, label, className, placement = "bottom end", ...rest }: PopoverProps) {
  return (
    <Root
      placement={placement}
      {...(label && { "aria-label": label })}
      offset={6}
      containerPadding={8}
      className={cx(
        "flex flex-col overflow-hidden rounded-2xl bg-surface text-body shadow-panel outline-none entering:animate-enter",
        full && "max-sm:!fixed max-sm:!inset-0 max-sm:!max-h-none max-sm:!w-full max-sm:!rounded-none",
        className,
      )}
      {...rest}
    />
  );
}
