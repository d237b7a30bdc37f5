import { type RefObject, useEffect } from "react";

/**
 * Takes the focus from a field inside an element before the page or the screen is left by the browser (Back, reload, closing
 * the tab), so that what is saved by clicking away is saved then, too.
 */
export function useBlurOnLeave(box: RefObject<HTMLElement | null>, isOn = true) {
  useEffect(() => {
    if (!isOn) return;
    const leave = () => {
      const field = document.activeElement;
      if (field instanceof HTMLElement && box.current?.contains(field)) field.blur();
    };
    // Before those who show another screen, or ask whether something is unsaved.
    addEventListener("popstate", leave, { capture: true });
    addEventListener("beforeunload", leave, { capture: true });
    return () => {
      removeEventListener("popstate", leave, { capture: true });
      removeEventListener("beforeunload", leave, { capture: true });
    };
  }, [box, isOn]);
}
