import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pixels from the end that count as the end. */
const endPixels = 40;
/** Pixels from either end at which more messages are loaded. */
const edgePixels = 600;

const rowsOf = (box: HTMLElement) => box.querySelectorAll<HTMLElement>("[data-message]");
const rowOf = (box: HTMLElement, id: string) => box.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);

/** Returns the first row for which `from` is true, in rows where it stays true after that (binary search). */
function firstRow(rows: NodeListOf<HTMLElement>, from: (row: HTMLElement) => boolean): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row && from(row)) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface ScrollOptions {
  /** A value that changes with the rows. */
  rows: unknown;
  /** Whether the last row is the conversation's last. */
  whole: boolean;
  /** Returns the row to start at; undefined means the end. */
  start: () => string | undefined;
  ready: boolean;
  onNearTop: () => void;
  onNearBottom: () => void;
  /** Called with the last completely visible message, when scrolling pauses. */
  onSeen: (id: string) => void;
}

export interface Scroll {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  onScroll: () => void;
  /** Scrolls to the end, and stays there as messages arrive. */
  toEnd: () => void;
  /** Scrolls a message to the middle; returns whether it is loaded. */
  toMessage: (id: string) => boolean;
}

/**
 * Keeps the scroll position of a conversation: at the end if it was there, else at the same message, whatever is added
 * above or below.
 */
export function useScroll(options: ScrollOptions): Scroll {
  const { rows, whole, ready } = options;
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const now = useRef(options);
  now.current = options;
  /** The first visible message, its offset from the upper edge, and the scroll position at that time. */
  const anchor = useRef<{ id: string; top: number; scrolled: number } | undefined>(undefined);
  const follows = useRef(true);
  const begun = useRef(false);
  const [atEnd, setAtEnd] = useState(true);
  const frame = useRef(0);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);

  const note = (element: HTMLElement) => {
    const upper = element.getBoundingClientRect().top;
    const all = rowsOf(element);
    const row = all[firstRow(all, (one) => one.getBoundingClientRect().bottom > upper)];
    anchor.current = row?.dataset.message
      ? { id: row.dataset.message, top: row.getBoundingClientRect().top - upper, scrolled: element.scrollTop }
      : undefined;
    const end = element.scrollHeight - element.scrollTop - element.clientHeight < endPixels;
    follows.current = end;
    setAtEnd(end && now.current.whole);
  };
  const keep = (element: HTMLElement) => {
    const before = anchor.current;
    // Pixels scrolled since, without an event yet.
    const scrolled = before ? element.scrollTop - before.scrolled : 0;
    if (follows.current && now.current.whole && scrolled > -endPixels) element.scrollTop = element.scrollHeight;
    else if (before) {
      const row = rowOf(element, before.id);
      if (row) element.scrollTop += row.getBoundingClientRect().top - element.getBoundingClientRect().top - before.top + scrolled;
    }
    note(element);
  };
  const seen = (element: HTMLElement) => {
    const lower = element.getBoundingClientRect().bottom;
    const all = rowsOf(element);
    const id = all[firstRow(all, (one) => one.getBoundingClientRect().bottom > lower + 1) - 1]?.dataset.message;
    if (id) now.current.onSeen(id);
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the rows change
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !ready) return;
    if (begun.current) return keep(element);
    begun.current = true;
    const start = now.current.start();
    const row = start && rowOf(element, start);
    // The first new message starts in the upper third, with the one before it visible.
    if (row) element.scrollTop += row.getBoundingClientRect().top - element.getBoundingClientRect().top - element.clientHeight / 4;
    else element.scrollTop = element.scrollHeight;
    note(element);
  }, [rows, whole, ready]);

  // When the field grows or the window shrinks, the end stays in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: one observer while the rows are shown
  useEffect(() => {
    const element = box.current;
    if (!element || !content.current) return;
    const observer = new ResizeObserver(() => begun.current && keep(element));
    observer.observe(element);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [ready]);
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      clearTimeout(rest.current);
    },
    [],
  );

  return {
    box,
    content,
    atEnd,
    onScroll: () => {
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => {
        const element = box.current;
        if (!element) return;
        note(element);
        if (element.scrollTop < edgePixels) now.current.onNearTop();
        if (element.scrollHeight - element.scrollTop - element.clientHeight < edgePixels) now.current.onNearBottom();
      });
      clearTimeout(rest.current);
      rest.current = setTimeout(() => box.current && seen(box.current), 250);
    },
    toEnd: () => {
      follows.current = true;
      const element = box.current;
      if (!element) return;
      element.scrollTop = element.scrollHeight;
      note(element);
    },
    toMessage: (id) => {
      const element = box.current;
      const row = element && rowOf(element, id);
      if (!row) return false;
      const room = Math.max(0, (element.clientHeight - row.offsetHeight) / 2);
      element.scrollTop += row.getBoundingClientRect().top - element.getBoundingClientRect().top - room;
      note(element);
      return true;
    },
  };
}
