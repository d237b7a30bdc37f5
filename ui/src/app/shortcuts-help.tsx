import { Suspense, useEffect } from "react";
import { create } from "zustand";
import { isTyping } from "@/lib/keys";
import { lazyOnIdle } from "@/lib/lazy-on-idle";

const ShortcutsDialog = lazyOnIdle(() => import("./shortcuts-dialog"));

export const useShortcutsHelp = create(() => ({ open: false }));

/** Lists the shortcuts when `?` is pressed. */
export function ShortcutsHelp() {
  const open = useShortcutsHelp((state) => state.open);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      useShortcutsHelp.setState({ open: true });
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return (
    <Suspense>{open && <ShortcutsDialog isOpen={open} onOpenChange={(shown) => useShortcutsHelp.setState({ open: shown })} />}</Suspense>
  );
}
