import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";

/** Version and year. */
export function Footer({ version, boxed, className }: { version: string; boxed?: boolean; className?: string }) {
  const { t } = useTranslation();
  return (
    <footer className={cx("no-print shrink-0 border-t border-line bg-surface text-sm text-muted", className)}>
      <p className={cx("flex min-h-14 items-center px-4 py-3 sm:px-6", boxed && "mx-auto max-w-[1440px]")}>
        {t("ui.shell.footer", { version, year: new Date().getFullYear() })}
      </p>
    </footer>
  );
}
