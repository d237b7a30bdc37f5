/** Something that was done in this tab and can be undone. */
interface Act {
  id: string;
  run: () => void;
}

/** As many acts as can be undone, the newest first. */
const mostActs = 20;

let acts: Act[] = [];

/**
 * What was done in this tab, on any of its screens, and can be undone by Ctrl+Z: one act after the other, the newest
 * first. A new document, as after signing out, begins without any.
 */
export const undo = {
  /** Adds an act with what undoes it. */
  add: (id: string, run: () => void) => {
    acts = [...acts, { id, run }].slice(-mostActs);
  },
  /** Takes away an act that is undone, or can no longer be undone. */
  remove: (id: string) => {
    acts = acts.filter((act) => act.id !== id);
  },
  /** Whether an act is the newest one. */
  isLast: (id: string) => acts.at(-1)?.id === id,
  /** Undoes the newest act. Returns whether there was one. */
  runLast: (): boolean => {
    const act = acts.at(-1);
    if (!act) return false;
    acts = acts.slice(0, -1);
    act.run();
    return true;
  },
  clear: () => {
    acts = [];
  },
};
