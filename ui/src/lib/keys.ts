import { type RefObject, useEffect, useEffectEvent } from "react";
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

const fields = "input:not([type=checkbox]):not([type=radio]), textarea, select, [role=textbox], [role=menu] *";

/** Whether a key press belongs to a field, or to a dialog other than the given one, and is not a command of the page. */
function isTyping({ target }: KeyboardEvent, dialog: Element | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const around = target.parentElement?.closest("[role=dialog]");
  return target.isContentEditable || target.matches(fields) || (around instanceof Element && around !== dialog);
}

/** Whether a key press can be a shortcut with a single key, of the page or of a dialog. */
export function isSingleKey(event: KeyboardEvent, dialog: Element | null = null): boolean {
  const { on } = useSingleKeys.getState();
  return on && !event.ctrlKey && !event.metaKey && !event.altKey && !event.defaultPrevented && !isTyping(event, dialog);
}

const dialogs = "[role=dialog], [role=alertdialog]";

/** The state of a navigation that opens a record to edit it. */
export const editState = "edit";

/** Handles `e`, which edits the record that is shown in an element, on the page or in a dialog. */
export function useEditKey(onEdit: (() => void) | undefined, shown: RefObject<Element | null>) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const dialog = shown.current?.closest(dialogs) ?? null;
    if (!onEdit || event.key !== "e" || !isSingleKey(event, dialog)) return;
    // The latest dialog is the last one in the page.
    if ([...document.querySelectorAll(dialogs)].at(-1) !== (dialog ?? undefined)) return;
    event.preventDefault();
    onEdit();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

const surfaces = `${dialogs}, [role=menu], [role=listbox]`;

/** Handles Escape of the page: with nothing open that it would close, and outside of fields. */
export function useEscapeOnPage(onEscape: (() => void) | undefined) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented || isTyping(event, null)) return;
    if (onEscape && !document.querySelector(surfaces)) onEscape();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

/** What the control key is called on this device; journeys read the screens without a browser. */
export const controlKey = /mac|iphone|ipad/i.test(globalThis.navigator?.platform ?? "") ? "⌘" : "Ctrl";

/** Returns a handler of keys that runs `press` on the space bar alone, as a checkbox does. */
export const onSpaceBar = (press: () => void) => (event: KeyPress) => {
  if (event.key !== " " || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  press();
};

type KeyPress = Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat" | "preventDefault">;
