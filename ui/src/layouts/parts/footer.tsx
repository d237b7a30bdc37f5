import { useTranslation } from "react-i18next";

/** Version and year. */
export function Footer({ version }: { version: string }) {
  const { t } = useTranslation();
  return (
    <footer className="no-print shrink-0 border-t border-line bg-surface px-4 py-4 text-sm text-muted sm:px-6">
      {t("ui.shell.footer", { version, year: new Date().getFullYear() })}
    </footer>
  );
}
