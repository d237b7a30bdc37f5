import { create } from "zustand";

/** How many changes the server refused because it could not take them just then. */
export const useRefusedChanges = create(() => ({ count: 0 }));

/** Takes note of a refused change: the server may have stopped saving. */
export function noteRefusedChange(): void {
  useRefusedChanges.setState(({ count }) => ({ count: count + 1 }));
}
