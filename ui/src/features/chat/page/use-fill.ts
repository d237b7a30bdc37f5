import { type RefObject, useLayoutEffect, useState } from "react";

/** Pixels that stay free below, if there is room. */
const margin = 20;

/** Returns the height from an element's top to the end of the window, without an on-screen keyboard and the banners. */
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
    // A change of layout moves the content above.
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
