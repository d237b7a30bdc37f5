import { MoveRight } from "lucide-react";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { cx } from "@/lib/cx";
import { onSpaceBar } from "@/lib/keys";
import { openedState } from "@/records/kinds";
import { type LiftedCard, type MoveCard, useBoardActions } from "./use-board";

interface BoardCardProps<T extends { id: string }> {
  card: T;
  title: string;
  column: string;
  to: string;
  /** Whether the Tab key goes to it: one card of each column. */
  isStop: boolean;
  /** How it is being moved, if it is. */
  lifted: LiftedCard["by"] | undefined;
  isCurrent: boolean;
  move: MoveCard;
  content: (card: T) => ReactNode;
}

function CardView<T extends { id: string }>({ card, title, column, to, isStop, lifted, isCurrent, move, content }: BoardCardProps<T>) {
  const { t } = useTranslation();
  const { mayMove, helpId, onPress, lift, openMenu } = useBoardActions();
  const { id } = card;
  const movable = { id, title, from: column, move: (place: string) => move(id, place) };
  return (
    <li
      data-card={id}
      {...(mayMove && { onPointerDown: (event) => onPress(event, movable) })}
      className="px-2 py-1 max-sm:scroll-mb-[var(--toasts,0px)] [contain-intrinsic-size:auto_6.5rem] [content-visibility:auto]"
    >
      <div
        className={cx(
          "group/card relative rounded-xl border bg-surface px-3 py-2.5 shadow-card transition-colors duration-150 select-none [-webkit-touch-callout:none] hover:border-line-strong has-[[data-row]:focus-visible]:outline-2 has-[[data-row]:focus-visible]:outline-primary",
          isCurrent ? "border-primary bg-tint-soft" : "border-line",
          lifted === "pointer" && "border-dashed border-primary opacity-60",
          lifted === "keyboard" && "border-primary shadow-panel",
        )}
      >
        <Link
          to={to}
          state={openedState}
          preventScrollReset
          data-row
          dir="auto"
          title={title}
          draggable={false}
          tabIndex={isStop ? 0 : -1}
          {...(isCurrent && { "aria-current": true })}
          {...(mayMove && {
            "aria-keyshortcuts": "Space",
            "aria-describedby": helpId,
            onKeyDown: (event) => {
              if (!lifted) onSpaceBar(() => lift(movable, event.currentTarget))(event);
            },
          })}
          className="line-clamp-2 pr-6 font-medium text-ink outline-none [overflow-wrap:anywhere] after:absolute after:inset-0 after:content-['']"
        >
          {title}
        </Link>
        {content(card)}
        {mayMove && (
          <button
            type="button"
            aria-label={t("ui.board.moveNamed", { title })}
            aria-haspopup="menu"
            tabIndex={isStop ? 0 : -1}
            onClick={(event) => openMenu(movable, event.currentTarget)}
            className="no-print fingertip absolute top-1.5 right-1.5 grid size-7 place-items-center rounded-lg text-muted hover:bg-hover hover:text-ink pointer-fine:opacity-0 pointer-fine:group-hover/card:opacity-100 pointer-fine:focus-visible:opacity-100"
          >
            <MoveRight aria-hidden size={16} />
          </button>
        )}
      </div>
    </li>
  );
}

/** A card of a board: its title is a link over the whole card, and it can be moved to another column. */
export const BoardCard = memo(CardView) as typeof CardView;
