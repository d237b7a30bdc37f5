import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/** Pixels from the end within which one is at the end. */
const nearEnd = 40;
/** Pixels from either end within which more is fetched. */
const nearEdge = 600;

const rowsOf = (box: HTMLElement) => box.querySelectorAll<HTMLElement>("[data-message]");
const rowOf = (box: HTMLElement, id: string) => box.querySelector<HTMLElement>(`[data-message="${CSS.escape(id)}"]`);

/** The first row that fulfils something, of rows that do so from one on. */
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
  /** Changes when rows come, go or change. */
  rows: unknown;
  /** Whether the last row is the conversation's last. */
  whole: boolean;
  /** Where one begins: a row, or the end. */
  start: () => string | undefined;
  ready: boolean;
  onNearTop: () => void;
  onNearBottom: () => void;
  /** The last message that was wholly in sight, once scrolling rests. */
  onSeen: (id: string) => void;
}

export interface Scroll {
  box: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  atEnd: boolean;
  onScroll: () => void;
  /** Goes to the end, and stays there as more comes. */
  toEnd: () => void;
  /** Brings a message into the middle; tells whether it is there. */
  toMessage: (id: string) => boolean;
}

/**
 * Keeps a conversation where it is looked at: at its end while one is there, else at the same message,
 * whatever comes above or below.
 */
export function useScroll(options: ScrollOptions): Scroll {
  const { rows, whole, ready } = options;
  const box = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const now = useRef(options);
  now.current = options;
  /** The first message in sight, how far below the upper edge it begins, and how far one had scrolled then. */
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
    const end = element.scrollHeight - element.scrollTop - element.clientHeight < nearEnd;
    follows.current = end;
    setAtEnd(end && now.current.whole);
  };
  const keep = (element: HTMLElement) => {
    const before = anchor.current;
    // Scrolled since, which no event has told yet.
    const scrolled = before ? element.scrollTop - before.scrolled : 0;
    if (follows.current && now.current.whole && scrolled > -nearEnd) element.scrollTop = element.scrollHeight;
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at when the rows change
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || !ready) return;
    if (begun.current) return keep(element);
    begun.current = true;
    const start = now.current.start();
    const row = start && rowOf(element, start);
    // What is new begins in the upper third; what was read just before it stays in sight.
    if (row) element.scrollTop += row.getBoundingClientRect().top - element.getBoundingClientRect().top - element.clientHeight / 4;
    else element.scrollTop = element.scrollHeight;
    note(element);
  }, [rows, whole, ready]);

  // A field that grows, a window that shrinks: what is at the end stays there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: one observer for as long as the rows are shown
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
        if (element.scrollTop < nearEdge) now.current.onNearTop();
        if (element.scrollHeight - element.scrollTop - element.clientHeight < nearEdge) now.current.onNearBottom();
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
