import { X } from "lucide-react";
import { useTranslation } from "react-i18next";

/** A tag of a record. */
export function Tag({ children, onRemove }: { children: string; onRemove?: () => void }) {
  const { t } = useTranslation();
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-surface px-1.75 py-px text-xs text-soft">
      <span className="truncate">{children}</span>
      {onRemove && (
        <button
          type="button"
          aria-label={t("ui.action.removeNamed", { name: children })}
          onClick={onRemove}
          className="fingertip relative -mr-1 grid size-5 place-items-center rounded text-muted hover:bg-hover hover:text-ink"
        >
          <X aria-hidden size={12} />
        </button>
      )}
    </span>
  );
}
