let buffer = { text: "", entered: false };
let stop: (() => void) | undefined;

/** Buffers typed keys until a requested field has loaded, so that none is lost or taken for a command of the page. */
export function startTypeAhead(onEscape: () => void) {
  takeTypeAhead();
  const key = (event: KeyboardEvent) => {
    // Many keyboards type @ and others with AltGr, which the browser reports as Ctrl with Alt.
    const chord = (event.ctrlKey || event.metaKey || event.altKey) && !event.getModifierState?.("AltGraph");
    if (chord || event.isComposing) return;
    if (event.key === "Escape") {
      takeTypeAhead();
      onEscape();
    } else if (event.key === "Backspace") buffer.text = [...buffer.text].slice(0, -1).join("");
    else if (event.key === "Enter") buffer.entered = true;
    else if ([...event.key].length === 1) buffer.text += event.key;
    else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener("keydown", key, true);
  stop = () => removeEventListener("keydown", key, true);
}

/** Returns the buffered text and stops buffering; the field receives the keys from now on. */
export function takeTypeAhead(): { text: string; entered: boolean } {
  stop?.();
  stop = undefined;
  const typed = buffer;
  buffer = { text: "", entered: false };
  return typed;
}
