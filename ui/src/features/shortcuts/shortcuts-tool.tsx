import { LayoutGrid } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { IconButton } from "@/components/icon-button";
import { lazyOnIdle } from "@/lib/lazy-on-idle";

const ShortcutsPanel = lazyOnIdle(() => import("./shortcuts-panel"));

export function ShortcutsTool() {
  const { t } = useTranslation();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        ref={ref}
        label={t("ui.shortcuts.title")}
        icon={LayoutGrid}
        aria-haspopup="dialog"
        aria-expanded={open}
        active={open}
        onClick={() => setOpen(true)}
        className="max-sm:w-9"
      />
      <Suspense>{open && <ShortcutsPanel triggerRef={ref} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
