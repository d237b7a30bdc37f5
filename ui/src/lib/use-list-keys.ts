import { type RefObject, useEffect, useRef } from "react";
import { isSingleKey } from "./keys";

/**
 * Handles list keys: `j` and `k` move between rows (elements with `data-row`), `x` selects a row (its element with
 * `data-select`), `n` creates a record.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, onNew?: (() => void) | undefined) {
  const make = useRef(onNew);
  make.current = onNew;
  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (!isSingleKey(event) || document.querySelector("[role=dialog], [role=alertdialog]")) return;
      if (event.key === "n" && make.current) {
        event.preventDefault();
        make.current();
        return;
      }
      if (event.key === "x") {
        document.activeElement?.closest("[data-item], li, tr")?.querySelector<HTMLElement>("[data-select]")?.click();
        return;
      }
      if (event.key !== "j" && event.key !== "k") return;
      const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].filter((row) => row.getClientRects().length > 0);
      const focused = document.activeElement;
      // The focus may also be on another part of a row.
      const item = focused?.closest("[data-item], li, tr");
      const at = rows.findIndex((row) => row === focused || item?.contains(row));
      const next = rows[at === -1 ? (event.key === "j" ? 0 : rows.length - 1) : at + (event.key === "j" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [list]);
}
