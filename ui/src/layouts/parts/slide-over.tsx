import { X } from "lucide-react";
import type { CSSProperties, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Drawer } from "@/components/drawer";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import type { Over } from "./menu-button";
import { type Tone, tones } from "./tone";

export interface SlideOverProps extends Over {
  width?: number;
  tone?: Tone;
  /** The content at the top, beside the close button. */
  head?: ReactNode;
  children: ReactNode;
}

/** The navigation on small screens: slides in from the left over the page, and closes after a choice. */
export default function SlideOver({ width = 280, tone = "dark", head, children, isOpen, onOpenChange }: SlideOverProps) {
  const { t } = useTranslation();
  return (
    <Drawer
      label={t("ui.shell.navigation")}
      side="left"
      isOpen={isOpen}
      onOpenChange={onOpenChange}
      className={cx("!w-(--column) text-body", tones[tone])}
      style={{ "--column": `${width}px` } as CSSProperties}
    >
      <div className={cx("flex h-16 shrink-0 items-center gap-2", head ? "pr-3 pl-5" : "justify-center")}>
        {head}
        <IconButton label={t("ui.action.close")} icon={X} onClick={() => onOpenChange(false)} />
      </div>
      {children}
    </Drawer>
  );
}
