import { flushSync } from "react-dom";

/** Whether a key press saves: Ctrl+Enter or Cmd+Enter, unless a part inside has used it. */
export const isSaveKey = (event: { key: string; ctrlKey: boolean; metaKey: boolean; isDefaultPrevented: () => boolean }): boolean =>
  event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isDefaultPrevented();

/** Ends typing in a field that takes over its text when it is left, and keeps the focus in it. */
export function commitTyped() {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement)) return;
  // Shown before the field has the focus again, which it takes with what it then shows.
  flushSync(() => field.blur());
  field.focus();
}
