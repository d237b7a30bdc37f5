import { type RefObject, useEffect, useEffectEvent } from "react";
import { useNavigate } from "react-router";
import { editState, isSingleKey } from "./keys";

/**
 * Handles list keys: `j` and `k` move between rows (elements with `data-row`), `x` selects a row (its element with
 * `data-select`), `b` leads to the first thing that can be done with the selected rows (`data-bulk`), `e` opens a row to
 * edit it, `n` creates a record.
 */
export function useListKeys(list: RefObject<HTMLElement | null>, onNew?: (() => void) | undefined) {
  const navigate = useNavigate();
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!isSingleKey(event) || document.querySelector("[role=dialog], [role=alertdialog]")) return;
    const focused = document.activeElement;
    // The focus may also be on another part of a row.
    const item = focused?.closest("[data-item], li, tr");
    const rows = [...(list.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])].filter((row) => row.getClientRects().length > 0);
    const at = rows.findIndex((row) => row === focused || item?.contains(row));
    const row = rows[at];
    if (event.key === "n" && onNew) {
      event.preventDefault();
      onNew();
    } else if (event.key === "x") {
      item?.querySelector<HTMLElement>("[data-select]")?.click();
    } else if (event.key === "b") {
      const action = document.querySelector<HTMLElement>("[data-bulk]");
      if (!action) return;
      event.preventDefault();
      action.focus();
    } else if (event.key === "e" && row instanceof HTMLAnchorElement) {
      event.preventDefault();
      void navigate(row.pathname + row.search, { state: editState, preventScrollReset: true });
    } else if (event.key === "j" || event.key === "k") {
      const next = rows[at === -1 ? (event.key === "j" ? 0 : rows.length - 1) : at + (event.key === "j" ? 1 : -1)];
      if (!next) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: "nearest" });
    }
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}
