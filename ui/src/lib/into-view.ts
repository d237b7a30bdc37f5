/** Whether it has more than it shows, and may be scrolled to show it. */
function scrolls(element: Element): boolean {
  return element.scrollHeight > element.clientHeight && /^(auto|scroll)$/.test(getComputedStyle(element).overflowY);
}

/**
 * Scrolls what an element lies in no further than it takes to show it, and never the page. Unlike the browser's own
 * `scrollIntoView` it leaves where the Tab key goes on: at the beginning of a page that was just opened.
 */
export function bringIntoView(element: Element) {
  let box = element.parentElement;
  while (box && box !== document.body && !scrolls(box)) box = box.parentElement;
  if (!box || box === document.body) return;
  const [shown, wanted] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (wanted.top < shown.top) box.scrollTop -= shown.top - wanted.top;
  else if (wanted.bottom > shown.bottom) box.scrollTop += wanted.bottom - shown.bottom;
}
