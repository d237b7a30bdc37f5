import { type LucideIcon, MoveRight } from "lucide-react";
import {
  type FocusEvent,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useTranslation } from "react-i18next";
import { cx } from "@/lib/cx";
import { focusReturnFrames } from "@/lib/focus-frames";
import { formatNumber } from "@/lib/format";
import { Menu, MenuItem, MenuPopover } from "./menu";
import {
  type BoardActions,
  BoardActionsContext,
  findCard,
  focusCard,
  type LiftedCard,
  LiftedCardContext,
  linkOf,
  type MovableCard,
} from "./use-board";
import { useBoardDrag } from "./use-board-drag";
import { usePageTop } from "./use-board-height";

/** Where a card can be moved. */
export interface BoardPlace {
  id: string;
  title: string;
}

/** A place that appears at the bottom while a card is lifted, and takes it off the board. */
export interface BoardTarget extends BoardPlace {
  icon: LucideIcon;
  tone: "ok" | "bad";
}

export interface BoardProps {
  label: string;
  /** The columns in order. */
  columns: BoardPlace[];
  targets?: BoardTarget[];
  mayMove: boolean;
  /** The columns: `BoardColumn`s in the same order. */
  children: ReactNode;
}

/** Frames in which a column shows the card that it got. */
const followFrames = 60;

const tones = {
  ok: { plain: "border-line-strong bg-surface text-ok", over: "border-ok bg-ok-soft text-ok" },
  bad: { plain: "border-line-strong bg-surface text-bad", over: "border-bad bg-bad-soft text-bad" },
};

/** Returns the card of a column whose middle is nearest to that of an element. */
function nearestCard(column: Element, to: Element) {
  const middle = (element: Element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return (top + bottom) / 2;
  };
  const wanted = middle(to);
  let found: { card: Element; distance: number } | undefined;
  for (const card of column.querySelectorAll("[data-card]")) {
    const distance = Math.abs(middle(card) - wanted);
    if (!found || distance < found.distance) found = { card, distance };
  }
  return found?.card;
}

/** Returns the card that an arrow key leads to. */
function cardByKey(board: HTMLElement, item: Element, key: string): Element | null | undefined {
  const column = item.closest("[data-place]");
  const others = column?.querySelectorAll("[data-card]");
  if (key === "ArrowDown") return item.nextElementSibling;
  if (key === "ArrowUp") return item.previousElementSibling;
  if (key === "Home") return others?.[0];
  if (key === "End") return others?.[others.length - 1];
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  const columns = [...board.querySelectorAll("section[data-place]")];
  const at = column ? columns.indexOf(column) : -1;
  const ahead = key === "ArrowRight" ? columns.slice(at + 1) : columns.slice(0, at).reverse();
  const next = ahead.find((one) => one.querySelector("[data-card]"));
  return next && nearestCard(next, item);
}

/** The targets, at the bottom of the board or of the window, whichever is higher; above toasts. */
function Targets({ targets, over }: { targets: BoardTarget[]; over: string | undefined }) {
  return (
    <div className="no-print sticky bottom-0 z-[1101] h-0">
      <div className="absolute inset-x-4 bottom-4 grid auto-cols-fr grid-flow-col gap-3 animate-fade">
        {targets.map(({ id, title, icon: Icon, tone }) => (
          <div
            key={id}
            data-place={id}
            className={cx(
              "flex min-h-16 items-center justify-center gap-2 rounded-2xl border-2 px-3 font-semibold shadow-panel",
              tones[tone][over === id ? "over" : "plain"],
              over !== id && "border-dashed",
            )}
          >
            <Icon aria-hidden size={20} />
            {title}
          </div>
        ))}
      </div>
    </div>
  );
}

/**
 * Columns of cards, which are moved by mouse, by a long press of a finger, by a menu, or by keys: arrows move between
 * cards, Space lifts one, arrows carry it, Space drops it and Escape returns it.
 */
export function Board({ label, columns, targets = [], mayMove, children }: BoardProps) {
  const { t } = useTranslation();
  const frame = useRef<HTMLDivElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const helpId = useId();
  const top = usePageTop(frame);
  const [said, setSaid] = useState("");
  const [lifted, setLifted] = useState<LiftedCard>();
  const [menu, setMenu] = useState<MovableCard>();
  const trigger = useRef<HTMLElement | null>(null);
  const focused = useRef<string | undefined>(undefined);
  /** The lifted card as events see it, which may come before the next render. */
  const held = useRef<LiftedCard | undefined>(undefined);
  const places: BoardPlace[] = [...columns, ...targets];
  const titleOf = (id: string | undefined) => places.find((place) => place.id === id)?.title ?? "";

  const put = (card: LiftedCard | undefined) => {
    held.current = card;
    setLifted(card);
  };
  const lift = (card: MovableCard, item: HTMLElement, by: LiftedCard["by"]) => {
    put({ ...card, by, over: card.from, height: item.getBoundingClientRect().height });
    if (by === "keyboard") setSaid(t("ui.board.lifted", { title: card.title, column: titleOf(card.from) }));
  };
  const carry = (over: string | undefined) => {
    const { current: card } = held;
    if (card && card.over !== over) put({ ...card, over });
  };
  const cancel = () => {
    const { current: card } = held;
    if (!card) return;
    put(undefined);
    setSaid(t("ui.board.stays", { title: card.title, column: titleOf(card.from) }));
  };
  /** Returns what stays where a card leaves its column: its neighbour, and how far the column is scrolled. */
  const besideOf = (id: string) => {
    const item = findCard(scroller.current, id);
    const beside = [item?.nextElementSibling, item?.previousElementSibling];
    const neighbour = beside.flatMap((one) => (one instanceof HTMLElement ? (one.dataset.card ?? []) : []))[0];
    const list = item?.parentElement;
    return { neighbour, column: list ? { list, top: list.scrollTop } : undefined };
  };
  /** Moves a card; the focus follows if it was moved by the menu, or if a dialog asked first. */
  const moveTo = ({ id, from, title, move }: MovableCard, to: string, isFollowed = false) => {
    if (from === to) return;
    const { neighbour, column } = besideOf(id);
    const end = (isMoved: boolean, follows: boolean) => {
      const key = isMoved ? "ui.board.moved" : "ui.board.stays";
      setSaid(t(key, { title, column: titleOf(isMoved ? to : from) }));
      if (follows) follow(id, neighbour, column);
    };
    const asked = move(to);
    if (asked) void asked.then((isMoved) => end(isMoved, true));
    else end(true, isFollowed);
  };
  const drop = () => {
    const { current: card } = held;
    if (card?.over === undefined || card.over === card.from) return cancel();
    put(undefined);
    moveTo(card, card.over);
  };

  // A drag goes on over many renders, and the cards keep what they were given first.
  const latest = useRef({ lift, carry, cancel, drop });
  useLayoutEffect(() => {
    latest.current = { lift, carry, cancel, drop };
  });
  const { onPress, isDragClick } = useBoardDrag(scroller, {
    onLift: (card, item) => latest.current.lift(card, item, "pointer"),
    onOver: (place) => latest.current.carry(place),
    onDrop: () => latest.current.drop(),
    onCancel: () => latest.current.cancel(),
  });
  const actions = useMemo<BoardActions>(
    () => ({
      mayMove,
      helpId,
      focused,
      onPress,
      lift: (card, element) => latest.current.lift(card, element.closest<HTMLElement>("[data-card]") ?? element, "keyboard"),
      cancel: () => latest.current.cancel(),
      openMenu: (card, element) => {
        trigger.current = element;
        setMenu(card);
      },
    }),
    [mayMove, helpId, onPress],
  );

  /** Carries the lifted card by a key; returns whether the key does so. */
  const carryByKey = (key: string, card: LiftedCard): boolean => {
    const at = places.findIndex(({ id }) => id === card.over);
    const isOnTarget = at >= columns.length;
    const next =
      key === "ArrowRight"
        ? places[Math.min(at + 1, places.length - 1)]
        : key === "ArrowLeft"
          ? places[Math.max(at - 1, 0)]
          : key === "ArrowDown"
            ? isOnTarget
              ? places[at]
              : (targets[0] ?? places[at])
            : key === "ArrowUp"
              ? isOnTarget
                ? places.find(({ id }) => id === card.from)
                : places[at]
              : undefined;
    if (!next) return false;
    carry(next.id);
    const number = columns.findIndex(({ id }) => id === next.id) + 1;
    setSaid(number > 0 ? t("ui.board.over", { ...next, number: formatNumber(number), total: formatNumber(columns.length) }) : next.title);
    const column = [...(scroller.current?.querySelectorAll<HTMLElement>("section[data-place]") ?? [])][number - 1];
    column?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return true;
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { target, key } = event;
    // The card was lifted by this key.
    if (event.defaultPrevented) return;
    const { current: card } = held;
    if (card?.by === "keyboard") {
      const isHandled = carryByKey(key, card);
      if (key === "Tab") cancel();
      else if (key === " " || key === "Enter") {
        if (!event.repeat) drop();
      } else if (key === "Escape") cancel();
      else if (!isHandled) return;
      if (key === "Tab") return;
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!(target instanceof Element) || !target.matches("[data-row]")) return;
    const item = target.closest("[data-card]");
    const next = item && cardByKey(event.currentTarget, item, key);
    if (next === undefined) return;
    event.preventDefault();
    const link = linkOf(next);
    link?.focus({ preventScroll: true });
    // At the end of a column, its next cards are read.
    (link ? next : item?.nextElementSibling)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  const onFocus = ({ target }: FocusEvent) => {
    focused.current = target.closest<HTMLElement>("[data-card]")?.dataset.card;
  };
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // A card that leaves its column loses the focus to nothing.
    if (relatedTarget === null) return;
    if (held.current?.by === "keyboard") cancel();
    if (!currentTarget.contains(relatedTarget)) focused.current = undefined;
  };
  const onClick = (event: MouseEvent) => {
    if (!isDragClick(event)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** Moves the focus to a card that the menu moved, as soon as it is shown; until then to its neighbour, whose column stays. */
  const follow = (id: string, neighbour: string | undefined, column: { list: Element; top: number } | undefined, frame = 0) =>
    requestAnimationFrame(() => {
      if (frame < focusReturnFrames) {
        // The menu that goes gives the focus to what comes after the column's cards.
        if (column) column.list.scrollTop = column.top;
        return void follow(id, neighbour, column, frame + 1);
      }
      const item = findCard(scroller.current, id);
      if (item) return focusCard(item);
      if (frame === focusReturnFrames && neighbour) linkOf(findCard(scroller.current, neighbour))?.focus({ preventScroll: true });
      if (frame < followFrames) follow(id, neighbour, column, frame + 1);
    });

  return (
    <BoardActionsContext value={actions}>
      <LiftedCardContext value={lifted}>
        <div
          ref={frame}
          className="@container relative min-h-104 max-sm:min-h-[calc(100dvh-6rem)] print:!h-auto"
          {...(top !== undefined && { style: { height: `calc(100dvh - ${top}px - 1.5rem)` } })}
        >
          <section
            ref={scroller}
            aria-label={label}
            onKeyDown={onKeyDown}
            onFocus={onFocus}
            onBlur={onBlur}
            onClickCapture={onClick}
            onDragStart={(event) => event.preventDefault()}
            className={cx(
              "flex h-full gap-3 overflow-x-auto overscroll-x-contain scroll-px-4 p-4",
              !lifted && "snap-x snap-mandatory sm:snap-none",
            )}
          >
            {children}
          </section>
          {lifted && targets.length > 0 && <Targets targets={targets} over={lifted.over} />}
          <p id={helpId} hidden>
            {t("ui.board.help")}
          </p>
          <p role="status" className="sr-only">
            {said}
          </p>
        </div>
        <MenuPopover triggerRef={trigger} isOpen={menu !== undefined} onOpenChange={(open) => !open && setMenu(undefined)}>
          <Menu aria-label={t("ui.board.move")}>
            {columns
              .filter(({ id }) => id !== menu?.from)
              .map(({ id, title }) => (
                <MenuItem key={id} icon={<MoveRight aria-hidden size={16} />} onAction={() => menu && moveTo(menu, id, true)}>
                  {title}
                </MenuItem>
              ))}
            {targets.map(({ id, title, icon: Icon }) => (
              <MenuItem key={id} icon={<Icon aria-hidden size={16} />} onAction={() => menu && moveTo(menu, id, true)}>
                {title}
              </MenuItem>
            ))}
          </Menu>
        </MenuPopover>
      </LiftedCardContext>
    </BoardActionsContext>
  );
}
