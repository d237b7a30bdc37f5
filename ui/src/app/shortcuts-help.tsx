import { Suspense, useEffect } from "react";
import { isSingleKey } from "@/lib/keys";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useShortcutsHelp } from "@/shell/shortcuts-help";

const ShortcutsDialog = lazyOnIdle(() => import("./shortcuts-dialog"));

/** Lists the shortcuts when `?` is pressed. */
export function ShortcutsHelp() {
  const open = useShortcutsHelp((state) => state.open);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== "?" || !isSingleKey(event)) return;
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
