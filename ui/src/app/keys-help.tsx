import { Suspense, useEffect } from "react";
import { create } from "zustand";
import { isTyping } from "@/lib/keys";
import { late } from "@/lib/late";

const KeysDialog = late(() => import("./keys-dialog"));

export const useKeysHelp = create(() => ({ open: false }));

/** `?` lists the keys. */
export function KeysHelp() {
  const open = useKeysHelp((state) => state.open);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      useKeysHelp.setState({ open: true });
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return <Suspense>{open && <KeysDialog isOpen={open} onOpenChange={(shown) => useKeysHelp.setState({ open: shown })} />}</Suspense>;
}
