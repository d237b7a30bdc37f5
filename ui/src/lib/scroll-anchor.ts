/** Milliseconds in which what has come is on the screen. */
const settling = 1_000;
/** What one does oneself moves the page as one likes. */
const own = ["wheel", "touchmove", "keydown", "pointerdown"] as const;
/** Pixels at the top of the screen that stay when the page scrolls. */
const header = 64;

function scrollerOf(element: Element): Element {
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (box.scrollHeight > box.clientHeight && /auto|scroll/.test(getComputedStyle(box).overflowY)) return box;
  }
  return document.scrollingElement ?? document.documentElement;
}

/** What one is reading: the row one stands on, the one that is open, else the first in sight of a list that was scrolled. */
function anchor(): Element | undefined {
  const focused = document.activeElement?.closest("[data-row], [data-item]");
  if (focused) return focused;
  const rows = [...document.querySelectorAll("[data-row]")];
  const inSight = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return bottom > header && top < innerHeight;
  });
  const read = inSight.find((row) => row.getAttribute("aria-current")) ?? inSight[0];
  return read && scrollerOf(read).scrollTop > 0 ? read : undefined;
}

let held: (() => void) | undefined;

/** Keeps what one is reading, and the focus, in place while rows come and go that nobody here asked for. */
export function keepScrollAnchor() {
  held?.();
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
    for (const sign of own) removeEventListener(sign, end, { capture: true });
    held = undefined;
  };
  const timer = setTimeout(end, settling);
  for (const sign of own) addEventListener(sign, end, { passive: true, capture: true });
  held = end;
}
