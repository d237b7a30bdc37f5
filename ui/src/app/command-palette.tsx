import { Suspense, useCallback, useEffect, useState } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { startTypeAhead, takeTypeAhead } from "@/lib/type-ahead-buffer";

const PaletteDialog = lazyOnIdle(() => import("./palette-dialog"));

/** Ctrl or Cmd with K opens the commands, and closes them again. */
export function CommandPalette() {
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      const chord = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!chord || event.defaultPrevented) return;
      event.preventDefault();
      if (open) return close();
      // Before the field is drawn, which may be at once.
      startTypeAhead(close);
      setOpen(true);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [open, close]);
  // Should the commands not come, the keys are the page's again.
  useEffect(() => (open ? () => void takeTypeAhead() : undefined), [open]);
  return <Suspense>{open && <PaletteDialog onClose={close} />}</Suspense>;
}
