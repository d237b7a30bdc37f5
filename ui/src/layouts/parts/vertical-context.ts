import { createContext, useContext } from "react";

/** How the tree at the side is drawn: full rows, tiles, icons that widen to rows, or icons only. */
export type Appearance = "default" | "compact" | "dense" | "thin";

export interface VerticalState {
  appearance: Appearance;
  /** Whether the dense appearance is widened at the moment. */
  widened: boolean;
  /** Whether it slides over the page. */
  over: boolean;
  path: string;
  /** The open branches, from the outermost in. */
  open: string[];
  toggle: (id: string, above: string[]) => void;
  /** The item whose column is open beside the navigation. */
  aside: string | undefined;
  setAside: (id: string | undefined) => void;
  onFollow: (() => void) | undefined;
}

export const VerticalContext = createContext<VerticalState | undefined>(undefined);

/** What the parts of one navigation share. */
export function useVertical(): VerticalState {
  const state = useContext(VerticalContext);
  if (!state) throw new Error("Outside of a navigation");
  return state;
}
