import { Menu } from "lucide-react";
import { type ReactNode, Suspense, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { useAtLeast } from "@/lib/media";
import { toggleColumn, useColumn } from "./column";

export interface Over {
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

export interface MenuButtonProps {
  /** Whether the layout has a column beside the page, which the button toggles on wide screens. */
  beside?: boolean;
  /** Renders the navigation that slides over the page on small screens. */
  over: (state: Over) => ReactNode;
}

/** Opens the navigation if it has no room of its own, and otherwise toggles its column. */
export function MenuButton({ beside = false, over }: MenuButtonProps) {
  const { t } = useTranslation();
  const roomy = useAtLeast("md");
  const hidden = useColumn((state) => state.hidden);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (roomy) setOpen(false);
  }, [roomy]);
  return (
    <>
      <IconButton
        label={t("ui.shell.menu")}
        icon={Menu}
        {...(roomy && beside
          ? { "aria-expanded": !hidden, "aria-controls": "navigation" }
          : { "aria-haspopup": "dialog", "aria-expanded": open })}
        onClick={() => (roomy ? toggleColumn() : setOpen(true))}
        className={cx("max-sm:w-9", !beside && "md:hidden")}
      />
      <Suspense>{open && !roomy && over({ isOpen: open, onOpenChange: setOpen })}</Suspense>
    </>
  );
}
