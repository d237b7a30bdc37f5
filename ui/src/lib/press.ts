/** Milliseconds after which a lifted pointer has clicked. On touch screens, the click comes after it. */
const CLICK_MS = 300;

const waiting = new Set<() => void>();
let isPressed = false;
let ending: ReturnType<typeof setTimeout> | undefined;

function end() {
  clearTimeout(ending);
  isPressed = false;
  const due = [...waiting];
  waiting.clear();
  for (const run of due) run();
}

function endIn(ms: number) {
  clearTimeout(ending);
  if (isPressed) ending = setTimeout(end, ms);
}

function start() {
  clearTimeout(ending);
  isPressed = true;
}

addEventListener("pointerdown", start, true);
addEventListener("pointerup", () => endIn(CLICK_MS), true);
addEventListener("pointercancel", () => endIn(CLICK_MS), true);
// What the click does comes first.
addEventListener("click", () => endIn(0), true);
// Where a menu of the system takes the pointer, nothing else says that the press is over.
addEventListener("keydown", end, true);

/**
 * Runs what moves the layout once the press that is under way has clicked; immediately without one. A press takes the
 * focus before it clicks: if the screen moved then, its click would be elsewhere.
 */
export function afterPress(run: () => void) {
  if (isPressed) waiting.add(run);
  else run();
}

/** Whether a press is under way. */
export const isPressing = () => isPressed;

/** Keeps the height of an element during the press that is under way, while its content already changes. */
export function holdHeight(element: HTMLElement | null) {
  if (!element || !isPressed) return;
  element.style.height = `${element.getBoundingClientRect().height}px`;
  afterPress(() => {
    element.style.height = "";
  });
}
