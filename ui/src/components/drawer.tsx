import { type CSSProperties, type ReactNode, useEffect, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Modal, ModalOverlay } from "react-aria-components/Modal";
import { cx } from "@/lib/cx";
import { useDismissable } from "./use-dismissable";

export interface DrawerProps {
  /** The accessible name; show a heading inside as well. */
  label: string;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  side?: "left" | "right";
  /** Whether to darken the page behind; without it, a click outside still closes. */
  dim?: boolean;
  className?: string;
  style?: CSSProperties;
  children: ReactNode;
}

/** Returns the focused element and its link, because a list may replace its rows while the drawer is open. */
function focused() {
  const element = document.activeElement;
  return element instanceof HTMLElement && element !== document.body
    ? { element, path: element instanceof HTMLAnchorElement ? element.pathname : undefined }
    : undefined;
}

/** Returns the focus to where it was before the drawer opened, if no other element has it. */
function useFocusBack() {
  const [from] = useState(focused);
  useEffect(() => {
    if (!from) return;
    return () => {
      // After React Aria's own attempt, which knows only the element itself.
      requestAnimationFrame(() =>
        requestAnimationFrame(() => {
          if (document.activeElement !== document.body) return;
          const links = from.path ? [...document.querySelectorAll<HTMLAnchorElement>("a[href]")] : [];
          const again = from.element.isConnected ? from.element : links.find(({ pathname }) => pathname === from.path);
          again?.focus({ preventScroll: true });
        }),
      );
    };
  }, [from]);
}

/** Slides in from the side over the full height; a wide one fills the screen on phones. */
export function Drawer({ label, isOpen, onOpenChange, side = "right", dim = true, className, style, children }: DrawerProps) {
  useFocusBack();
  const isDismissable = useDismissable(isOpen);
  return (
    <ModalOverlay
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      isDismissable={isDismissable}
      className={cx("fixed inset-0 z-[299]", side === "left" && "no-print", dim && "bg-black/40 entering:animate-fade")}
    >
      <Modal
        className={cx(
          "fixed inset-y-0 z-[399] flex max-w-full bg-surface shadow-drawer outline-none",
          side === "right" ? "print-sheet right-0 w-full sm:w-105 entering:animate-slide" : "left-0 w-70 entering:animate-slide-left",
          className,
        )}
        {...(style && { style })}
      >
        <Dialog aria-label={label} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
