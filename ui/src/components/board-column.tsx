import {
  type FocusEvent,
  type ReactNode,
  useCallback,
  useContext,
  useDeferredValue,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { BoardCard } from "./board-card";
import { Button } from "./button";
import { ErrorState } from "./error-state";
import { Skeleton } from "./skeleton";
import { findCard, focusCard, LiftedCardContext, type MoveCard, useBoardActions } from "./use-board";

/** Pixels before the end of a column at which further cards are read. */
const readAhead = 600;

export interface BoardColumnProps<T extends { id: string }> {
  id: string;
  title: string;
  /** The number of its cards, also of those that were not read; undefined while unknown. */
  count: number | undefined;
  /** The sums of its cards, one for each currency. */
  sums: string[];
  /** The cards that were read; undefined while unknown. */
  cards: T[] | undefined;
  error?: unknown;
  onRetry: () => void;
  hasMore: boolean;
  isReading: boolean;
  onMore: () => void;
  titleOf: (card: T) => string;
  to: (card: T) => string;
  /** The card that is open beside the board. */
  current?: string | undefined;
  /** Returns the place among the cards where the card with an id would land. */
  placeOf: (id: string) => number;
  onMove: MoveCard;
  /** Returns what a card shows below its title. It must not change, so that cards are not rendered again. */
  content: (card: T) => ReactNode;
}

/** Reads further cards before the end of a column is in sight. */
function More({ cards, isReading, onMore }: { cards: number; isReading: boolean; onMore: () => void }) {
  const { t } = useTranslation();
  const ref = useRef<HTMLLIElement>(null);
  const more = useRef(onMore);
  useEffect(() => {
    more.current = onMore;
  });
  // An observer reports no element that stays in sight, so each page of cards has its own.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each page
  useEffect(() => {
    const element = ref.current;
    if (!element || isReading) return;
    const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && more.current(), {
      root: element.parentElement,
      rootMargin: `${readAhead}px`,
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [cards, isReading]);
  return (
    <li ref={ref} className="p-2 text-center">
      <Button size="sm" busy={isReading} onClick={onMore}>
        {t("ui.board.more")}
      </Button>
    </li>
  );
}

/** A column of a board. The cards have the order of the list; a card that is moved lands where it belongs. */
export function BoardColumn<T extends { id: string }>(props: BoardColumnProps<T>) {
  const { id, title, count, sums, error, onRetry, hasMore, isReading, onMore, titleOf, to, current, placeOf, onMove, content } = props;
  const { t } = useTranslation();
  // In slices, so that a page of cards does not hold up scrolling.
  const cards = useDeferredValue(props.cards);
  const actions = useBoardActions();
  const lifted = useContext(LiftedCardContext);
  const heading = useId();
  const list = useRef<HTMLUListElement>(null);
  const [active, setActive] = useState<string>();
  const stop = cards?.some((card) => card.id === active) ? active : cards?.[0]?.id;
  const isOver = lifted?.over === id;
  const landing = isOver && lifted.from !== id ? placeOf(lifted.id) : undefined;

  const latest = useRef(onMove);
  useEffect(() => {
    latest.current = onMove;
  });
  const move = useCallback<MoveCard>((card, place) => latest.current(card, place), []);

  const isGone = cards && lifted?.from === id && !cards.some((card) => card.id === lifted.id);
  useEffect(() => {
    if (isGone) actions.cancel();
  }, [isGone, actions]);

  // The focus follows a card from column to column.
  useLayoutEffect(() => {
    const { current: focused } = actions.focused;
    if (!focused || !cards || document.activeElement !== document.body) return;
    const item = findCard(list.current, focused);
    if (item) focusCard(item);
  }, [cards, actions]);

  const gap = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (landing === undefined || lifted?.by !== "keyboard" || !gap.current || !list.current) return;
    const [shown, wanted] = [list.current.getBoundingClientRect(), gap.current.getBoundingClientRect()];
    // The targets cover the end of the column.
    if (wanted.top < shown.top || wanted.bottom > shown.top + shown.height / 2) {
      list.current.scrollTop += wanted.top - shown.top - shown.height / 4;
    }
  }, [landing, lifted?.by]);

  const onFocus = ({ target }: FocusEvent) => {
    const card = target.closest<HTMLElement>("[data-card]")?.dataset.card;
    if (card) setActive(card);
  };
  const place = (
    <li key="place" ref={gap} aria-hidden className="px-2 py-1">
      <div
        className="rounded-xl border-2 border-dashed border-primary bg-tint-soft"
        {...(lifted && { style: { height: Math.max(48, lifted.height - 8) } })}
      />
    </li>
  );
  const items = cards?.map((card) => (
    <BoardCard
      key={card.id}
      card={card}
      title={titleOf(card)}
      column={id}
      to={to(card)}
      isStop={card.id === stop}
      lifted={card.id === lifted?.id ? lifted.by : undefined}
      isCurrent={card.id === current}
      move={move}
      content={content}
    />
  ));
  return (
    <section
      data-place={id}
      aria-labelledby={heading}
      aria-busy={!cards && !error}
      className={cx(
        "flex h-full w-[calc(100cqw-3.75rem)] shrink-0 snap-start flex-col overflow-clip rounded-2xl [contain:content] sm:w-72",
        isOver ? "bg-tint-soft outline-2 -outline-offset-2 outline-primary" : "bg-hover",
      )}
    >
      <header className="px-4 pt-3 pb-2">
        <h2 id={heading} className="flex items-baseline gap-2 font-semibold text-ink">
          <span dir="auto" title={title} className="truncate">
            {title}
          </span>
          {count !== undefined && (
            <span className="text-sm font-normal text-soft tabular-nums">
              <span aria-hidden>{formatNumber(count)}</span>
              <span className="sr-only">{t("ui.board.cards", { count, total: formatNumber(count) })}</span>
            </span>
          )}
        </h2>
        <p className="min-h-5 truncate text-sm text-soft tabular-nums" title={sums.join(" · ")}>
          {sums.join(" · ")}
        </p>
      </header>
      <ul
        ref={list}
        aria-labelledby={heading}
        onFocus={onFocus}
        className="min-h-0 flex-1 overflow-y-auto pb-2 max-sm:pb-[calc(0.5rem+var(--toasts,0px))]"
      >
        {items && landing !== undefined ? items.toSpliced(landing, 0, place) : items}
        {cards && hasMore && <More cards={cards.length} isReading={isReading} onMore={onMore} />}
        {cards?.length === 0 && landing === undefined && <li className="px-4 py-6 text-center text-sm text-soft">{t("ui.board.empty")}</li>}
        {!cards && !error && [0, 1, 2].map((row) => <Skeleton key={row} className="mx-2 my-1 h-24" />)}
        {!cards && error !== null && error !== undefined && (
          <li>
            <ErrorState error={error} onRetry={onRetry} />
          </li>
        )}
      </ul>
    </section>
  );
}
