import { create } from "zustand";

/**
 * The columns whose targets the member has chosen, by import and place; those of the others are the server's guesses.
 * Kept in this tab, so that a reload loses nothing.
 */
const keyOf = (id: string) => `atrium.import.${id}`;

function read(id: string): number[] {
  try {
    const found: unknown = JSON.parse(sessionStorage.getItem(keyOf(id)) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one === "number") : [];
  } catch {
    return [];
  }
}

const useStore = create<Record<string, number[]>>(() => ({}));

function write(id: string, columns: number[]) {
  useStore.setState({ [id]: columns });
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(columns));
  } catch {
    // Without storage, a reload shows them as guesses.
  }
}

/** Returns the places of the chosen columns of an import. */
export function useChosenColumns(id: string): readonly number[] {
  const known = useStore((all) => all[id]);
  return known ?? read(id);
}

export const noteChosenColumns = (id: string, places: number[]) => write(id, [...new Set([...read(id), ...places])]);
/** The columns were guessed again. */
export const forgetChosenColumns = (id: string) => write(id, []);
