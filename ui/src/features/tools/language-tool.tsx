import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { Flag } from "@/components/flag";
import { IconButton } from "@/components/icon-button";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useMenuTrigger } from "@/lib/use-menu-trigger";

const LanguageMenu = lazyOnIdle(() => import("./language-menu"));

export function LanguageTool() {
  const { t, i18n } = useTranslation();
  const { button, menu } = useMenuTrigger();
  return (
    <>
      <IconButton label={t("ui.shell.language")} {...button} active={menu.isOpen} className="max-sm:w-9">
        <Flag language={i18n.language} />
      </IconButton>
      <Suspense>{menu.isOpen && <LanguageMenu {...menu} />}</Suspense>
    </>
  );
}
