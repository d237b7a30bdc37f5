import { create } from "zustand";

const key = "atrium.single-keys";

function read() {
  try {
    return localStorage.getItem(key) !== "off";
  } catch {
    return true;
  }
}

/** Whether shortcuts with a single key are on (WCAG 2.1.4); stored in this browser. */
export const useSingleKeys = create(() => ({ on: read() }));

export function setSingleKeys(on: boolean) {
  useSingleKeys.setState({ on });
  try {
    if (on) localStorage.removeItem(key);
    else localStorage.setItem(key, "off");
  } catch {
    // Without storage, the choice lasts until the tab closes.
  }
}

/** Whether a key press belongs to a field or a dialog and is not a command of the page. */
function isTyping(event: KeyboardEvent): boolean {
  const target = event.target;
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.isContentEditable ||
    target.matches("input:not([type=checkbox]):not([type=radio]), textarea, select, [role=textbox], [role=menu] *, [role=dialog] *")
  );
}

/** Whether a key press can be a shortcut with a single key. */
export function isSingleKey(event: KeyboardEvent): boolean {
  return useSingleKeys.getState().on && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented && !isTyping(event);
}
