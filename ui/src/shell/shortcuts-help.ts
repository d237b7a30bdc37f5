import { create } from "zustand";

/** Whether the list of keyboard shortcuts is open. */
export const useShortcutsHelp = create(() => ({ open: false }));
