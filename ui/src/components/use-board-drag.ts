import { type PointerEvent as ReactPointerEvent, type RefObject, useCallback, useEffect, useRef } from "react";
import type { MovableCard } from "./use-board";

/** Pixels that the mouse moves to lift a card. */
const mouseSlack = 5;
/** Pixels that a finger may move before a card is lifted; more is scrolling. */
const touchSlack = 8;
/**
 * Pixels from where the press began within which a lifted card stays in its column: the targets appear when it is lifted,
 * and one of them may be below the pointer.
 */
const dropSlack = 24;
/** Milliseconds that a finger rests on a card to lift it. */
const longPressMs = 250;
/** Pixels at the edges of the board in which it scrolls, at most; and pixels per frame, at most. */
const edge = 64;
const maxStep = 16;
/** Milliseconds after a drop in which a click belongs to it. */
const clickMs = 400;

/** Returns the column or target at a point of the window, below the picture of the card. */
function placeAt(x: number, y: number): string | undefined {
  for (const element of document.elementsFromPoint(x, y)) {
    const place = element.closest<HTMLElement>("[data-place]")?.dataset.place;
    if (place !== undefined) return place;
  }
  return undefined;
}

/** Scrolls the board sideways if a point is near its edges. */
function scrollAtEdge(board: HTMLElement, x: number) {
  const { left, right, width } = board.getBoundingClientRect();
  const band = Math.min(edge, width * 0.15);
  const depth = x < left + band ? x - left - band : x > right - band ? x - right + band : 0;
  if (depth) board.scrollLeft += Math.max(-1, Math.min(1, depth / band)) * maxStep;
}

/** Makes a picture of a card that follows the pointer. */
function makeGhost(item: HTMLElement) {
  const face = item.firstElementChild ?? item;
  const { left, top, width, height } = face.getBoundingClientRect();
  const ghost = document.createElement("div");
  ghost.append(face.cloneNode(true));
  for (const control of ghost.querySelectorAll<HTMLElement>("a, button")) control.tabIndex = -1;
  ghost.ariaHidden = "true";
  // It is below the pointer, so that its cursor is seen: one for the whole board would restyle all cards.
  ghost.className = "no-print fixed top-0 left-0 z-[1102] rounded-xl opacity-95 shadow-panel [&_*]:!cursor-grabbing";
  ghost.style.width = `${width}px`;
  ghost.style.height = `${height}px`;
  document.body.append(ghost);
  return { ghost, left, top };
}

export interface DragEvents {
  onLift: (card: MovableCard, item: HTMLElement) => void;
  onOver: (place: string | undefined) => void;
  onDrop: () => void;
  onCancel: () => void;
}

/**
 * Moves cards by mouse, pen or finger, which lifts a card by a long press. The browser's own dragging is of no use: it
 * has no touch on some devices.
 */
export function useBoardDrag(board: RefObject<HTMLElement | null>, callbacks: DragEvents) {
  const events = useRef(callbacks);
  const stopDrag = useRef<(() => void) | undefined>(undefined);
  const isLifted = useRef(false);
  const endedAt = useRef(Number.NEGATIVE_INFINITY);

  useEffect(() => {
    events.current = callbacks;
  });
  useEffect(() => {
    const element = board.current;
    // A listener that is added after the touch began could not stop scrolling.
    const hold = (event: TouchEvent) => {
      if (isLifted.current && event.cancelable) event.preventDefault();
    };
    element?.addEventListener("touchmove", hold, { passive: false });
    return () => {
      element?.removeEventListener("touchmove", hold);
      stopDrag.current?.();
    };
  }, [board]);

  const onPress = useCallback(
    (event: ReactPointerEvent<HTMLElement>, card: MovableCard) => {
      const item = event.currentTarget;
      const { pointerId, pointerType, clientX, clientY } = event;
      if (event.button !== 0 || !event.isPrimary || stopDrag.current) return;
      if (event.target instanceof Element && event.target.closest("button")) return;
      const isMouse = pointerType === "mouse";
      let at = { x: clientX, y: clientY };
      let over: string | undefined = card.from;
      let frame = 0;
      let picture: ReturnType<typeof makeGhost> | undefined;

      const isAway = (x: number, y: number) => Math.hypot(x - clientX, y - clientY) >= dropSlack;
      const placeBelow = (x: number, y: number) => (isAway(x, y) ? placeAt(x, y) : card.from);
      const step = () => {
        if (!picture) return;
        const { ghost, left, top } = picture;
        ghost.style.transform = `translate(${left + at.x - clientX}px, ${top + at.y - clientY}px) rotate(1.5deg)`;
        if (board.current && isAway(at.x, at.y)) scrollAtEdge(board.current, at.x);
        const place = placeBelow(at.x, at.y);
        if (place !== over) {
          over = place;
          events.current.onOver(place);
        }
        frame = requestAnimationFrame(step);
      };
      const lift = () => {
        picture = makeGhost(item);
        isLifted.current = true;
        events.current.onLift(card, item);
        step();
      };
      const stop = () => {
        clearTimeout(timer);
        cancelAnimationFrame(frame);
        picture?.ghost.remove();
        if (picture) endedAt.current = performance.now();
        isLifted.current = false;
        stopDrag.current = undefined;
        removeEventListener("pointermove", onMove);
        removeEventListener("pointerup", onUp);
        removeEventListener("pointercancel", onAbort);
        removeEventListener("blur", onAbort);
        removeEventListener("keydown", onKey, true);
        removeEventListener("contextmenu", onMenu, true);
      };
      const onMove = (moved: PointerEvent) => {
        if (moved.pointerId !== pointerId) return;
        at = { x: moved.clientX, y: moved.clientY };
        if (picture || Math.hypot(at.x - clientX, at.y - clientY) <= (isMouse ? mouseSlack : touchSlack)) return;
        if (isMouse) lift();
        else stop();
      };
      const onUp = (released: PointerEvent) => {
        if (released.pointerId !== pointerId) return;
        const wasLifted = picture !== undefined;
        if (wasLifted) events.current.onOver(placeBelow(released.clientX, released.clientY));
        stop();
        if (wasLifted) events.current.onDrop();
      };
      const onAbort = () => {
        const wasLifted = picture !== undefined;
        stop();
        if (wasLifted) events.current.onCancel();
      };
      const onKey = (pressed: KeyboardEvent) => {
        if (!picture) return;
        // The keys of the page would act on another card.
        pressed.preventDefault();
        pressed.stopPropagation();
        if (pressed.key === "Escape") onAbort();
      };
      // A finger that rests on a link opens the browser's menu.
      const onMenu = (menu: Event) => {
        if (!isMouse) menu.preventDefault();
      };
      const timer = isMouse ? undefined : setTimeout(lift, longPressMs);
      stopDrag.current = stop;
      addEventListener("pointermove", onMove);
      addEventListener("pointerup", onUp);
      addEventListener("pointercancel", onAbort);
      addEventListener("blur", onAbort);
      addEventListener("keydown", onKey, true);
      addEventListener("contextmenu", onMenu, true);
    },
    [board],
  );

  /** Whether a click is the end of a drag. */
  const isDragClick = (event: { detail: number }) => event.detail > 0 && performance.now() - endedAt.current < clickMs;
  return { onPress, isDragClick };
}
