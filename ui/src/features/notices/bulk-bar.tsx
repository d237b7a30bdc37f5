import { Mail, MailOpen, Trash2, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Notice } from "@/api/schema";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { formatNumber } from "@/lib/format";

export interface BulkBarProps {
  chosen: Notice[];
  onMark: (action: "read" | "unread") => void;
  onRemove: () => void;
  onClear: () => void;
}

/** Commands for the selected items: labels if there is room, icons on phones. */
export function BulkBar({ chosen, onMark, onRemove, onClear }: BulkBarProps) {
  const { t } = useTranslation();
  const unread = chosen.some(({ read }) => !read);
  const read = chosen.some(({ read: done }) => done);
  const actions = [
    { key: "read", label: t("ui.notices.markAsRead"), icon: MailOpen, disabled: !unread, run: () => onMark("read") },
    { key: "unread", label: t("ui.notices.markAsUnread"), icon: Mail, disabled: !read, run: () => onMark("unread") },
    { key: "remove", label: t("ui.notices.remove"), icon: Trash2, disabled: false, run: onRemove },
  ] as const;
  return (
    <div role="toolbar" aria-label={t("ui.notices.withChosen")} className="flex min-w-0 flex-1 items-center gap-1.5">
      <span aria-live="polite" className="min-w-0 flex-1 truncate font-medium text-ink tabular-nums">
        <span className="max-sm:sr-only">{t("ui.notices.chosen", { number: formatNumber(chosen.length) })}</span>
        <span aria-hidden className="sm:hidden">
          {formatNumber(chosen.length)}
        </span>
      </span>
      {actions.map((action) => (
        <span key={action.key} className="contents">
          <Button
            size="sm"
            variant={action.key === "remove" ? "danger-ghost" : "secondary"}
            icon={action.icon}
            disabled={action.disabled}
            onClick={action.run}
            className="max-md:hidden"
          >
            {action.label}
          </Button>
          <IconButton
            size="sm"
            tone={action.key === "remove" ? "danger" : "plain"}
            label={action.label}
            icon={action.icon}
            disabled={action.disabled}
            onClick={action.run}
            className="md:hidden"
          />
        </span>
      ))}
      <IconButton size="sm" label={t("ui.notices.chooseNone")} icon={X} onClick={onClear} />
    </div>
  );
}
