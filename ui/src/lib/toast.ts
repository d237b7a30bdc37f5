import { create } from "zustand";
import { undo } from "./undo";

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
const actOf = (id: number) => `toast.${id}`;
function add(kind: Toast["kind"], text: string, action?: Toast["action"], more: Pick<Toast, "isOffer" | "group"> = {}) {
  const made: Toast = { id: next++, kind, text, action, ...more };
  // What its action undoes can be undone after the toast is gone, too.
  if (action && !more.isOffer && kind !== "error") undo.add(actOf(made.id), () => toast.run(made));
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
  run: (item: Toast) => {
    undo.remove(actOf(item.id));
    item.action?.run();
    toast.dismiss(item.id);
  },
  /** Takes away a toast whose action no longer makes sense, also for Ctrl+Z. */
  withdraw: (id: number) => {
    undo.remove(actOf(id));
    toast.dismiss(id);
  },
  dismiss: (id: number) => useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) })),
};
