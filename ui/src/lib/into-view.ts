/** Whether the element overflows and can be scrolled. */
function scrolls(element: Element): boolean {
  return element.scrollHeight > element.clientHeight && /^(auto|scroll)$/.test(getComputedStyle(element).overflowY);
}

/**
 * Scrolls an element's containers as little as needed to show it, and never the page. Unlike the browser's
 * `scrollIntoView` it does not change where the Tab key continues: at the beginning of a newly opened page.
 */
export function bringIntoView(element: Element) {
  let box = element.parentElement;
  while (box && box !== document.body && !scrolls(box)) box = box.parentElement;
  if (!box || box === document.body) return;
  const [shown, wanted] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (wanted.top < shown.top) box.scrollTop -= shown.top - wanted.top;
  else if (wanted.bottom > shown.bottom) box.scrollTop += wanted.bottom - shown.bottom;
}
