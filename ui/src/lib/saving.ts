import { create } from "zustand";

/** The number of changes that the server refused because it could not store them. */
export const useRefusedChanges = create(() => ({ count: 0 }));

/** Records a refused change: the server may have stopped storing changes. */
export function noteRefusedChange(): void {
  useRefusedChanges.setState(({ count }) => ({ count: count + 1 }));
}
