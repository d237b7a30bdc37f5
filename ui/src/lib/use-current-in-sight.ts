import { type RefObject, useEffect } from "react";
import { useLocation } from "react-router";

/** Keeps the current one of a row of links in sight where the row is wider than its place; the page itself stays where it is. */
export function useCurrentInSight(row: RefObject<HTMLElement | null>) {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says which one is current
  useEffect(() => {
    const box = row.current;
    if (!box) return;
    const bring = () => {
      const current = box.querySelector("[aria-current]");
      if (!current) return;
      const place = box.getBoundingClientRect();
      const { left, width } = current.getBoundingClientRect();
      box.scrollBy({ left: left + width / 2 - (place.left + place.width / 2), behavior: "instant" });
    };
    bring();
    // A window that is made narrower may take it out of sight.
    const sizes = new ResizeObserver(bring);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [row, pathname]);
}
