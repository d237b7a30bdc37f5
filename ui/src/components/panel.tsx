import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { Heading } from "react-aria-components/Heading";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { useAtLeast } from "@/lib/media";
import { IconButton } from "./icon-button";
import { Popover } from "./popover";

export interface PanelProps {
  title: string;
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
  /** Icon buttons at the right of the head; use `tone="inverse"` and `size="sm"`. */
  actions?: ReactNode;
  /** Whether to use more height, so that a form shows its buttons without scrolling. */
  tall?: boolean;
  /** Stays visible below the scrolling content. */
  footer?: ReactNode;
  children: ReactNode;
}

/** A header tool's panel: a dialog under its button, the whole screen on phones. */
export function Panel({ title, triggerRef, isOpen, onOpenChange, actions, tall, footer, children }: PanelProps) {
  const { t } = useTranslation();
  const close = (
    <IconButton
      label={t("ui.action.close")}
      icon={X}
      tone="inverse"
      size="sm"
      onClick={() => onOpenChange(false)}
      className="max-sm:-ml-1.5"
    />
  );
  // On phones at the left, in the order of the focus, too.
  const wide = useAtLeast("sm");
  return (
    <Popover triggerRef={triggerRef} isOpen={isOpen} onOpenChange={onOpenChange} full className="w-95">
      <Dialog className="flex max-h-[inherit] min-h-0 flex-1 flex-col outline-none">
        <header className="flex min-h-15 items-center gap-2 bg-primary-700 py-3 pr-3 pl-4.5 text-white">
          {!wide && close}
          <Heading slot="title" className="min-w-0 flex-1 truncate text-lg font-bold tracking-[-.01em]">
            {title}
          </Heading>
          {actions}
          {wide && close}
        </header>
        <div data-scroll className={cx("min-h-0 flex-1 overflow-y-auto overscroll-contain", tall ? "sm:max-h-152" : "sm:max-h-120")}>
          {children}
        </div>
        {footer && <footer className="border-t border-line p-1.5">{footer}</footer>}
      </Dialog>
    </Popover>
  );
}
