import { type RefObject, useEffect, useState } from "react";

const callbacks = new WeakMap<Element, () => void>();
let observer: IntersectionObserver | undefined;

/** One observer for all elements: the pixels around the window that count as seen save waiting on scrolling. */
function observerOf() {
  observer ??= new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) callbacks.get(target)?.();
    },
    { rootMargin: "200px" },
  );
  return observer;
}

/** Returns whether an element has been in sight, so that what it shows is read only then. */
export function useSeen(ref: RefObject<Element | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (seen || !element) return;
    const watch = observerOf();
    callbacks.set(element, () => setSeen(true));
    watch.observe(element);
    return () => watch.unobserve(element);
  }, [ref, seen]);
  return seen;
}
