import { useEffect, useState } from "react";

/** Milliseconds after the opening in which a press outside belongs to the button that opened it, pressed twice. */
const openingMs = 300;

/** Returns whether a press outside of an open dialog closes it: not while it opens. */
export function useDismissable(isOpen = true): boolean {
  const [isDismissable, setDismissable] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const timer = setTimeout(() => setDismissable(true), openingMs);
    return () => {
      clearTimeout(timer);
      setDismissable(false);
    };
  }, [isOpen]);
  return isDismissable;
}
