import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Flag } from "@/components/flag";
import { IconButton } from "@/components/icon-button";
import { lazyOnIdle } from "@/lib/lazy-on-idle";

const LanguageMenu = lazyOnIdle(() => import("./language-menu"));

export function LanguageTool() {
  const { t, i18n } = useTranslation();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        ref={ref}
        label={t("ui.shell.language")}
        aria-haspopup="menu"
        aria-expanded={open}
        active={open}
        onClick={() => setOpen(true)}
        className="max-sm:w-9"
      >
        <Flag language={i18n.language} />
      </IconButton>
      <Suspense>{open && <LanguageMenu triggerRef={ref} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
