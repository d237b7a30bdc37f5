import { createContext, type PointerEvent, type RefObject, useContext } from "react";

/**
 * Moves a card to a column or target. What asks before it moves the card returns a promise of whether it was moved.
 */
export type MoveCard = (id: string, to: string) => Promise<boolean> | undefined;

/** A card that can be moved. */
export interface MovableCard {
  id: string;
  title: string;
  /** The column that it is in. */
  from: string;
  /** Moves it to another column or target. */
  move: (to: string) => ReturnType<MoveCard>;
}

/** A card that is being moved. */
export interface LiftedCard extends MovableCard {
  /** The column or target where it would land; undefined outside of all. */
  over: string | undefined;
  by: "keyboard" | "pointer";
  /** Pixels. */
  height: number;
}

/** What the parts of a board share. The members never change, so that cards are not rendered again. */
export interface BoardActions {
  mayMove: boolean;
  /** The element that explains the keys. */
  helpId: string;
  /** The card that has the focus, or had it when it left its column. */
  focused: RefObject<string | undefined>;
  onPress: (event: PointerEvent<HTMLElement>, card: MovableCard) => void;
  lift: (card: MovableCard, element: HTMLElement) => void;
  openMenu: (card: MovableCard, trigger: HTMLElement) => void;
  /** Returns a lifted card to its column. */
  cancel: () => void;
}

export const BoardActionsContext = createContext<BoardActions | undefined>(undefined);
export const LiftedCardContext = createContext<LiftedCard | undefined>(undefined);

export function useBoardActions(): BoardActions {
  const actions = useContext(BoardActionsContext);
  if (!actions) throw new Error("A column must be in a board.");
  return actions;
}

/** Returns the link of a card. */
export const linkOf = (item: Element | null | undefined) => item?.querySelector<HTMLElement>("[data-row]") ?? undefined;

/** Returns a card's element. */
export const findCard = (board: Element | null, id: string) =>
  [...(board?.querySelectorAll<HTMLElement>("[data-card]") ?? [])].find(({ dataset }) => dataset.card === id);

/** Moves the focus to a card, and scrolls its column and the board to it. */
export function focusCard(item: Element) {
  linkOf(item)?.focus({ preventScroll: true });
  item.scrollIntoView({ block: "nearest", inline: "nearest" });
}
