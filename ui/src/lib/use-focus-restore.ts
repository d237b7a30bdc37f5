import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";

/**
 * Keeps the focus in a list when the focused item is removed: moves it to the same part (`data-part`) of the item
 * (`data-item`) that takes its place, else to the box itself, which needs a `tabIndex`.
 *
 * @param shown a value that changes when the items do
 */
export function useFocusRestore(box: RefObject<HTMLElement | null>, shown: unknown) {
  const last = useRef<{ element: HTMLElement; at: number; part: string | undefined } | undefined>(undefined);
  useEffect(() => {
    const element = box.current;
    const note = ({ target }: FocusEvent) => {
      const item = (target as HTMLElement).closest<HTMLElement>("[data-item]");
      const items = [...(element?.querySelectorAll("[data-item]") ?? [])];
      const part = (target as HTMLElement).closest<HTMLElement>("[data-part]")?.dataset.part;
      last.current = item ? { element: target as HTMLElement, at: items.indexOf(item), part } : undefined;
    };
    element?.addEventListener("focusin", note);
    return () => element?.removeEventListener("focusin", note);
  }, [box]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the items change
  useLayoutEffect(() => {
    const had = last.current;
    if (!had || had.element.isConnected) return;
    last.current = undefined;
    // Another element has the focus now.
    if (document.activeElement && document.activeElement !== document.body && !box.current?.contains(document.activeElement)) return;
    const items = box.current?.querySelectorAll<HTMLElement>("[data-item]") ?? [];
    const next = items[Math.min(had.at, items.length - 1)];
    const part = next?.querySelector<HTMLElement>(had.part ? `[data-part="${had.part}"]` : "a, button, input");
    if (part) part.focus();
    else box.current?.focus({ preventScroll: true });
  }, [box, shown]);
}
