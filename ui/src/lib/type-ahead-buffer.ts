let held = { text: "", entered: false };
let stop: (() => void) | undefined;

/**
 * Keeps what is typed while a field that was asked for is still on its way, so that no letter is
 * lost and none is taken for a command of the page.
 */
export function startTypeAhead(onEscape: () => void) {
  takeTypeAhead();
  const key = (event: KeyboardEvent) => {
    // AltGr is how many keyboards type @ and the like; to the browser it is Ctrl with Alt.
    const chord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState?.("AltGraph");
    if (chord || event.isComposing) return;
    if (event.key === "Escape") {
      takeTypeAhead();
      onEscape();
    } else if (event.key === "Backspace") held.text = [...held.text].slice(0, -1).join("");
    else if (event.key === "Enter") held.entered = true;
    else if ([...event.key].length === 1) held.text += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", key, true);
  stop = () => removeEventListener("keydown", key, true);
}

/** What was typed until now; from here on the field hears the keys itself. */
export function takeTypeAhead(): { text: string; entered: boolean } {
  stop?.();
  stop = undefined;
  const typed = held;
  held = { text: "", entered: false };
  return typed;
}
