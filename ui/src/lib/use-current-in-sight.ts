import { type RefObject, useEffect } from "react";
import { useLocation } from "react-router";

/** Keeps the current link of a row visible if the row is wider than its container; the page does not scroll. */
export function useCurrentInSight(row: RefObject<HTMLElement | null>) {
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address determines the current link
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
    // A narrower window may hide it.
    const sizes = new ResizeObserver(bring);
    sizes.observe(box);
    return () => sizes.disconnect();
  }, [row, pathname]);
}
