import { Suspense, useEffect, useState } from "react";
import { isTyping } from "@/lib/keys";
import { late } from "@/lib/late";

const KeysDialog = late(() => import("./keys-dialog"));

/** `?` lists the keys. */
export function KeysHelp() {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== "?" || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTyping(event)) return;
      event.preventDefault();
      setOpen(true);
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  return <Suspense>{open && <KeysDialog isOpen={open} onOpenChange={setOpen} />}</Suspense>;
}
