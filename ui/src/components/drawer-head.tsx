import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { IconButton } from "./icon-button";

/** The head of a drawer: its title and the close button. */
export function DrawerHead({ title, onClose }: { title: string; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <header className="flex items-center gap-3 border-b border-line py-3 pr-3 pl-5 sm:pl-6">
      <h2 className="min-w-0 flex-1 truncate text-lg font-bold tracking-[-.01em] text-ink">{title}</h2>
      <IconButton label={t("ui.action.close")} icon={X} onClick={onClose} />
    </header>
  );
}
