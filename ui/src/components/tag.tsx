import { X } from "lucide-react";
import type { CSSProperties } from "react";
import { useTranslation } from "react-i18next";
import { type ColourName, namedColour } from "@/lib/colours";
import { cx } from "@/lib/cx";

export const tagClass =
  "inline-flex max-w-full items-center gap-1 rounded-md border border-line bg-surface px-1.75 py-px text-xs text-soft";

/** Returns the style of a tag with a colour, which only tells it from others faster. */
export const tagStyle = (colour: ColourName | undefined): CSSProperties | undefined =>
  colour && {
    background: `color-mix(in oklab, ${namedColour(colour)} 14%, var(--surface))`,
    borderColor: `color-mix(in oklab, ${namedColour(colour)} 45%, var(--surface))`,
    color: "var(--body)",
  };

interface TagProps {
  children: string;
  colour?: ColourName | undefined;
  onRemove?: () => void;
}

/** A tag of a record. */
export function Tag({ children, colour, onRemove }: TagProps) {
  const { t } = useTranslation();
  return (
    <span className={cx(tagClass, onRemove && "pointer-coarse:h-9 pointer-coarse:pr-2.5")} style={tagStyle(colour)}>
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
