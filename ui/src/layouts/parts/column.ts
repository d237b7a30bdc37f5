import { create } from "zustand";

const key = "atrium.navigation";

function remembered(): boolean {
  try {
    return localStorage.getItem(key) === "hidden";
  } catch {
    return false;
  }
}

/** Whether the column beside the page is hidden; stored in this browser. */
export const useColumn = create<{ hidden: boolean }>(() => ({ hidden: remembered() }));

export function toggleColumn() {
  const hidden = !useColumn.getState().hidden;
  useColumn.setState({ hidden });
  try {
    if (hidden) localStorage.setItem(key, "hidden");
    else localStorage.removeItem(key);
  } catch {
    // Without storage it lasts as long as the page.
  }
}
