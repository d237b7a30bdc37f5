import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { useTranslation } from "react-i18next";
import { Popover } from "@/components/popover";
import { emoji } from "./emoji";

/** Emoji per row. */
const columns = 6;

const moves: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };

function Grid({ onPick }: { onPick: (sign: string) => void }) {
  const { t } = useTranslation();
  const [at, setAt] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(emoji.length - 1, to));
    setAt(next);
    box.current?.querySelectorAll("button")[next]?.focus();
  };
  const key = (event: KeyboardEvent) => {
    const step = moves[event.key];
    if (step !== undefined) go(at + step);
    else if (event.key === "Home") go(0);
    else if (event.key === "End") go(emoji.length - 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={box} role="toolbar" aria-label={t("ui.chat.emojis")} onKeyDown={key} className="grid grid-cols-6 gap-0.5 p-2">
      {emoji.map(([sign, name], index) => (
        <button
          key={name}
          type="button"
          autoFocus={index === 0}
          tabIndex={index === at ? 0 : -1}
          aria-label={t(`ui.chat.emoji.${name}`)}
          title={t(`ui.chat.emoji.${name}`)}
          onClick={() => onPick(sign)}
          className="grid size-9.5 place-items-center rounded-lg text-xl leading-none hover:bg-hover focus-visible:-outline-offset-2"
        >
          {sign}
        </button>
      ))}
    </div>
  );
}

export interface EmojiButtonProps {
  /** Renders the button with the picker's attributes. */
  button: (attributes: {
    ref: React.RefObject<HTMLButtonElement | null>;
    onClick: () => void;
    "aria-haspopup": "dialog";
    "aria-expanded": boolean;
  }) => ReactNode;
  onPick: (sign: string) => void;
  onOpenChange?: (open: boolean) => void;
  placement?: "top end" | "top start";
}

/** A button that opens an emoji picker; the arrow keys move within it. */
export function EmojiButton({ button, onPick, onOpenChange, placement = "top end" }: EmojiButtonProps) {
  const { t } = useTranslation();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const show = (next: boolean) => {
    setOpen(next);
    onOpenChange?.(next);
  };
  return (
    <>
      {button({ ref, onClick: () => show(!open), "aria-haspopup": "dialog", "aria-expanded": open })}
      <Popover triggerRef={ref} isOpen={open} onOpenChange={show} placement={placement}>
        <Dialog aria-label={t("ui.chat.emojis")} className="outline-none">
          <Grid
            onPick={(sign) => {
              show(false);
              onPick(sign);
            }}
          />
        </Dialog>
      </Popover>
    </>
  );
}
