import { Suspense, useCallback, useEffect, useState } from "react";
import { late } from "@/lib/late";
import { holdTyping, releaseTyping } from "@/lib/typed-ahead";

const PaletteDialog = late(() => import("./palette-dialog"));

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
      holdTyping(close);
      setOpen(true);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [open, close]);
  // Should the commands not come, the keys are the page's again.
  useEffect(() => (open ? () => void releaseTyping() : undefined), [open]);
  return <Suspense>{open && <PaletteDialog onClose={close} />}</Suspense>;
}
