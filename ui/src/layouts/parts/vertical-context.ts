import { createContext, useContext } from "react";

/** The form of the side tree: full rows, tiles, icons that widen to rows, or icons only. */
export type Appearance = "default" | "compact" | "dense" | "thin";

export interface VerticalState {
  appearance: Appearance;
  /** Whether the dense appearance is currently widened. */
  widened: boolean;
  /** Whether it slides over the page. */
  over: boolean;
  path: string;
  /** The open branches, outermost first. */
  open: string[];
  toggle: (id: string, above: string[]) => void;
  /** The item whose second column is open. */
  aside: string | undefined;
  setAside: (id: string | undefined) => void;
  onFollow: (() => void) | undefined;
}

export const VerticalContext = createContext<VerticalState | undefined>(undefined);

/** Returns the state that the parts of one navigation share. */
export function useVertical(): VerticalState {
  const state = useContext(VerticalContext);
  if (!state) throw new Error("Outside of a navigation");
  return state;
}
