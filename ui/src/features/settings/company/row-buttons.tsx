import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";

interface RowButtonsProps {
  name: string;
  up: (() => void) | undefined;
  down: (() => void) | undefined;
  remove: (() => void) | undefined;
}

/** Moves a row, and removes it. */
export function RowButtons({ name, up, down, remove }: RowButtonsProps) {
  const { t } = useTranslation();
  // Not disabled at the ends, so that the focus stays.
  const quiet = "aria-disabled:opacity-40";
  return (
    <div className="flex pt-1.25">
      <IconButton label={t("ui.fields.up", { name })} icon={ArrowUp} size="sm" aria-disabled={!up} className={quiet} onClick={up} />
      <IconButton label={t("ui.fields.down", { name })} icon={ArrowDown} size="sm" aria-disabled={!down} className={quiet} onClick={down} />
      <IconButton
        label={t("ui.action.removeNamed", { name })}
        icon={X}
        tone="danger"
        size="sm"
        aria-disabled={!remove}
        className={quiet}
        onClick={remove}
      />
    </div>
  );
}

/** Adds a row, unless there are as many as there can be. */
export function AddButton({ label, full, isFull, onAdd }: { label: string; full: string; isFull: boolean; onAdd: () => void }) {
  return isFull ? (
    <p className="mt-2 text-sm text-muted">{full}</p>
  ) : (
    <Button size="sm" variant="ghost" icon={Plus} className="mt-2 -ml-2.75" onClick={onAdd}>
      {label}
    </Button>
  );
}
