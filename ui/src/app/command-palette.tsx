import { Suspense, useCallback, useEffect, useState } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { startTypeAhead, takeTypeAhead } from "@/lib/type-ahead-buffer";

const PaletteDialog = lazyOnIdle(() => import("./palette-dialog"));

/** Opens and closes the command palette with Ctrl+K or Cmd+K. */
export function CommandPalette() {
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const chord = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!chord || event.defaultPrevented) return;
      event.preventDefault();
      if (open) return close();
      // Before the field is drawn, which may happen at once.
      startTypeAhead(close);
      setOpen(true);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [open, close]);
  // If the palette fails to load, the page receives the keys again.
  useEffect(() => (open ? () => void takeTypeAhead() : undefined), [open]);
  return <Suspense>{open && <PaletteDialog onClose={close} />}</Suspense>;
}
