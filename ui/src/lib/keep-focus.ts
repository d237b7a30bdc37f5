/*
 * Moves the focus to a neighbour when the focused element is removed; the browser alone would move it to the start of
 * the page. The first of these that exists takes it:
 *
 * - an element with `data-refocus` that is added in the same change, or after a change of address an `h1[tabindex]`;
 * - in a list, the same control of the next item, else of the previous one. Items are `li` and `tr`, or elements with
 *   `data-item` if the list has several parents; a control is known by its `data-part`, else by its position;
 * - the nearest control of the same screen or dialog, or the heading of a section without controls; not a control with
 *   `data-no-refocus`, where a second press would do harm;
 * - the element that had the focus before, such as the button of a closed menu, or its neighbour if it was removed;
 * - the screen.
 */

/** The screens and dialogs in which a neighbour is searched; an element outside of them, as in the chat rail, has no neighbour. */
const scopes = "main, [role=dialog], [role=alertdialog]";
const controls = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [contenteditable="true"]';
const heading = "h1[tabindex]";
const textFields = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]";
/** Elements in which the focus may have been before. */
const maxVisits = 20;

interface Visit {
  element: HTMLElement;
  path: string;
}

/** Where removed nodes stood. */
const places = new WeakMap<Node, { parent: Node; previous: Node | null }>();
let visits: Visit[] = [];
let byPointer = false;
let isWaiting = false;

const isLost = () => !document.activeElement || document.activeElement === document.body;
const isRemoved = () => isLost() && visits.at(-1)?.element.isConnected === false;
const controlsOf = (box: ParentNode) => [...box.querySelectorAll<HTMLElement>(controls)];
const isUsable = (element: HTMLElement) =>
  element.tabIndex >= 0 &&
  !element.matches(":disabled, [type=hidden], [data-no-refocus]") &&
  (element.checkVisibility?.() ?? true) &&
  !element.closest("[inert], [aria-hidden=true]");

function notePlaces({ target, removedNodes, previousSibling }: MutationRecord) {
  let previous = previousSibling;
  for (const node of removedNodes) {
    places.set(node, { parent: target, previous });
    previous = node as ChildNode;
  }
}

/** Returns the connected parent of a removed element's place, and the node before that place. */
function placeOf(removed: Element) {
  let node: Node = removed;
  for (;;) {
    while (node.parentNode) node = node.parentNode;
    const place = places.get(node);
    if (!place) return undefined;
    if (place.parent.isConnected) {
      let { previous } = place;
      while (previous && previous.parentNode !== place.parent) previous = places.get(previous)?.previous ?? null;
      return { parent: place.parent as Element, previous };
    }
    node = place.parent;
  }
}

/** Returns the part of an item that corresponds to a control of a removed item. */
function samePart(item: Element, removed: Element, from: HTMLElement) {
  const own = controlsOf(item).filter(isUsable);
  const name = from.closest<HTMLElement>("[data-part]")?.dataset.part;
  const part = name && item.querySelector(`[data-part="${name}"]`);
  if (part) return own.find((one) => part.contains(one));
  // A second press must not remove the next one, too.
  const field = byPointer ? undefined : own.find((one) => one.matches(textFields));
  return field ?? own[Math.min(controlsOf(removed).indexOf(from), own.length - 1)];
}

/** Returns the control that is nearest to a removed one. */
function nearest(from: HTMLElement): HTMLElement | undefined {
  const place = placeOf(from);
  const scope = place?.parent.closest(scopes);
  if (!place || !scope) return undefined;
  const { parent, previous } = place;
  const isAfter = (element: Element) =>
    previous
      ? !previous.contains(element) && Boolean(previous.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)
      : Boolean(parent.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING);
  const nextOf = (all: HTMLElement[]) => all.find(isAfter) ?? all.at(-1);

  const item = from.closest<HTMLElement>("[data-item], li, tr");
  if (item) {
    const isMarked = item.matches("[data-item]");
    const all = isMarked ? [...scope.querySelectorAll<HTMLElement>("[data-item]")] : ([...parent.children] as HTMLElement[]);
    const others = all.filter((one) => one.tagName === item.tagName && controlsOf(one).some(isUsable));
    const next = nextOf(others);
    const part = next && samePart(next, item, from);
    if (part) return part;
  }
  for (let box: Element | null = parent; box; box = box === scope ? null : box.parentElement) {
    const next = nextOf(controlsOf(box).filter(isUsable));
    // On a phone, a field would open the keyboard.
    if (next) return byPointer && next.matches(textFields) ? undefined : next;
    const title = box.matches("section") && box.querySelector<HTMLElement>("h2, h3");
    if (title) {
      title.tabIndex = -1;
      return title;
    }
  }
  return undefined;
}

/** Returns the focus to what had it before: after React Aria, which knows only the element itself. */
function returnLater() {
  if (isWaiting) return;
  isWaiting = true;
  const frames = (left: number) =>
    requestAnimationFrame(() => {
      if (left > 0) return frames(left - 1);
      isWaiting = false;
      if (!isRemoved()) return;
      const here = visits.filter(({ path }) => path === location.pathname).map(({ element }) => element);
      for (const element of here.reverse()) {
        const target = element.isConnected ? element : nearest(element);
        target?.focus();
        if (!isLost()) return;
      }
      const screen = document.querySelector<HTMLElement>(`main ${heading}`) ?? document.getElementById("content");
      screen?.focus({ preventScroll: true });
    });
  frames(3);
}

function onChange(records: MutationRecord[]) {
  for (const record of records) notePlaces(record);
  const last = visits.at(-1);
  if (!last || !isRemoved()) return;
  const isHere = last.path === location.pathname;
  const mark = isHere ? "[data-refocus]" : `main ${heading}`;
  for (const added of records.flatMap(({ addedNodes }) => [...addedNodes])) {
    if (!(added instanceof Element) || !added.isConnected) continue;
    const found = added.matches(mark) ? added : added.querySelector(mark);
    if (found instanceof HTMLElement) return found.focus({ preventScroll: true });
  }
  const next = isHere ? nearest(last.element) : undefined;
  if (next) next.focus();
  else returnLater();
}

function noteVisit() {
  const element = document.activeElement;
  if (!(element instanceof HTMLElement) || element === document.body) return;
  const others = visits.filter((visit) => visit.element !== element && (visit.element.isConnected || visit.path === location.pathname));
  visits = [...others, { element, path: location.pathname }].slice(-maxVisits);
}

function noteInput({ type }: Event) {
  byPointer = type === "pointerdown";
  // Input after the focus was lost starts a new history.
  if (isRemoved()) visits = [];
}

/** Starts to keep the focus; returns a function that stops. */
export function keepFocus(): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.body, { childList: true, subtree: true });
  document.addEventListener("focusin", noteVisit);
  addEventListener("pointerdown", noteInput, true);
  addEventListener("keydown", noteInput, true);
  return () => {
    observer.disconnect();
    document.removeEventListener("focusin", noteVisit);
    removeEventListener("pointerdown", noteInput, true);
    removeEventListener("keydown", noteInput, true);
    visits = [];
  };
}
