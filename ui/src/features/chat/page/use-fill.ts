import { type RefObject, useLayoutEffect, useState } from "react";

/** Pixels that stay free below, where there is room. */
const margin = 20;

/** The height from where something begins down to the end of the window, less a keyboard on the glass and the notes at its end. */
export function useFill(ref: RefObject<HTMLElement | null>): number | undefined {
  const [height, setHeight] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      const element = ref.current;
      if (!element) return;
      const top = element.getBoundingClientRect().top + scrollY;
      const room = visualViewport?.height ?? innerHeight;
      const notes = Number.parseFloat(document.documentElement.style.getPropertyValue("--notes")) || 0;
      setHeight(Math.floor(room - top - Math.max(notes, innerWidth < 600 ? 0 : margin)));
    };
    measure();
    const observer = new ResizeObserver(measure);
    // A layout that changes moves what is above.
    observer.observe(document.body);
    visualViewport?.addEventListener("resize", measure);
    addEventListener("resize", measure);
    return () => {
      observer.disconnect();
      visualViewport?.removeEventListener("resize", measure);
      removeEventListener("resize", measure);
    };
  }, [ref]);
  return height;
}
