import i18n from "i18next";
import { create } from "zustand";
import { undo } from "./undo";

/** A follow-up action, for example "Undo". */
export interface ToastAction {
  label: string;
  /** Runs it. After a promise is kept, other than with `false`, it is said that the act is undone. */
  run: () => unknown;
  /** Says what is undone; without it, only that something is. */
  undone?: string;
}

export interface Toast {
  id: number;
  kind: "info" | "success" | "error";
  text: string;
  action?: ToastAction | undefined;
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
    const { action } = item;
    const outcome = action?.run();
    toast.dismiss(item.id);
    if (!(outcome instanceof Promise) || action?.label !== i18n.t("ui.action.undo")) return;
    // What failed is reported where it was called.
    void outcome.then(
      (isDone: unknown) => isDone !== false && toast.info(action.undone ?? i18n.t("ui.undo.done")),
      () => undefined,
    );
  },
  /** Takes away a toast whose action no longer makes sense, also for Ctrl+Z. */
  withdraw: (id: number) => {
    undo.remove(actOf(id));
    toast.dismiss(id);
  },
  dismiss: (id: number) => useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) })),
};
