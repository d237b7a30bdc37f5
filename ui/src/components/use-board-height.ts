import { type RefObject, useLayoutEffect, useState } from "react";

/** Returns the distance of an element from the top of the page in pixels, so that it can fill the rest of the window. */
export function usePageTop(ref: RefObject<HTMLElement | null>): number | undefined {
  const [top, setTop] = useState<number>();
  useLayoutEffect(() => {
    const measure = () => {
      if (ref.current) setTop(Math.round(ref.current.getBoundingClientRect().top + scrollY));
    };
    measure();
    // What is above the element may become higher, such as a bar of filters.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [ref]);
  return top;
}
