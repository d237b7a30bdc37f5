/** Milliseconds after which a change has been drawn. */
const settleMs = 1_000;
/** Input of the member, after which the page may move. */
const inputEvents = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
/** Pixels at the top of the screen that do not scroll. */
const headerHeight = 64;

/** Returns the box that an element scrolls in. */
function scrollerOf(element: Element): Element {
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** Returns the row to keep in place: the focused one, the open one, else the first visible row of a scrolled list. */
function anchor(): Element | undefined {
  const focused = document.activeElement?.closest("[data-row], [data-item]");
  if (focused) return focused;
  const rows = [...document.querySelectorAll("[data-row]")];
  const inSight = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > headerHeight && top < innerHeight;
  });
  const read = inSight.find((row) => row.getAttribute("aria-current")) ?? inSight[0];
  return read && scrollerOf(read).scrollTop > 0 ? read : undefined;
}

let stopKeeping: (() => void) | undefined;

/** Keeps the row that is being read, and the focus, in place while rows are added or removed by others. */
export function keepScrollAnchor() {
  stopKeeping?.();
  const focus = document.activeElement;
  const row = anchor();
  if (!row && (!focus || focus === document.body)) return;
  const top = row?.getBoundingClientRect().top;
  const keep = () => {
    if (focus instanceof HTMLElement && focus.isConnected && document.activeElement === document.body) focus.focus({ preventScroll: true });
    if (!row?.isConnected || top === undefined) return;
    const moved = row.getBoundingClientRect().top - top;
    if (Math.abs(moved) >= 1) scrollerOf(row).scrollBy({ top: moved, behavior: "instant" });
  };
  const watch = new MutationObserver(keep);
  watch.observe(document.body, { childList: true, subtree: true });
  const end = () => {
    clearTimeout(timer);
    watch.disconnect();
    for (const sign of inputEvents) removeEventListener(sign, end, { capture: true });
    stopKeeping = undefined;
  };
  const timer = setTimeout(end, settleMs);
  for (const sign of inputEvents) addEventListener(sign, end, { passive: true, capture: true });
  stopKeeping = end;
}
