import { create } from "zustand";

export interface Toast {
  id: number;
  kind: "info" | "success" | "error";
  text: string;
  /** A follow-up action, for example "Undo". */
  action?: { label: string; run: () => void } | undefined;
  /** Whether its action offers a next step: it stays longer, and Ctrl+Z does not run it. */
  isOffer?: true;
  /** A newer toast of the same group replaces it. */
  group?: string;
}

export const useToasts = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
let next = 1;
/** Milliseconds in which Ctrl+Z still runs the last action after its toast is gone. */
const undoMs = 2 * 60_000;
let last: { toast: Toast; at: number } | undefined;

function add(kind: Toast["kind"], text: string, action?: Toast["action"], more: Pick<Toast, "isOffer" | "group"> = {}) {
  const made: Toast = { id: next++, kind, text, action, ...more };
  if (action && !more.isOffer) last = { toast: made, at: Date.now() };
  const isReplaced = (other: Toast) => other.text === text || (other.group !== undefined && other.group === made.group);
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.filter((other) => !isReplaced(other)), made].slice(-4) }));
  return made.id;
}

/** Shows short messages at the edge of the screen that disappear by themselves. */
export const toast = {
  info: (text: string, action?: Toast["action"]) => add("info", text, action),
  success: (text: string, action?: Toast["action"], group?: string) => add("success", text, action, group ? { group } : {}),
  error: (text: string, action?: Toast["action"]) => add("error", text, action),
  /** Offers a next step. Returns the id of the toast. */
  offer: (text: string, action: NonNullable<Toast["action"]>) => add("info", text, action, { isOffer: true }),
  /** The newest toast with an action to take back; the last one for two minutes, also after it is gone. */
  undoable: () =>
    useToasts.getState().toasts.findLast(({ action, isOffer }) => action && !isOffer) ??
    (last && Date.now() - last.at < undoMs ? last.toast : undefined),
  run: (item: Toast) => {
    if (last?.toast.id === item.id) last = undefined;
    item.action?.run();
    toast.dismiss(item.id);
  },
  /** Takes away a toast whose action no longer makes sense, also for Ctrl+Z. */
  withdraw: (id: number) => {
    if (last?.toast.id === id) last = undefined;
    toast.dismiss(id);
  },
  dismiss: (id: number) => useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) })),
};
