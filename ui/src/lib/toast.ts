import { create } from "zustand";

export interface Toast {
  id: number;
  kind: "info" | "success" | "error";
  text: string;
  /** A follow-up action, for example "Undo". */
  action?: { label: string; run: () => void } | undefined;
}

export const useToasts = create<{ toasts: Toast[] }>(() => ({ toasts: [] }));
let next = 1;

function add(kind: Toast["kind"], text: string, action?: Toast["action"]) {
  const id = next++;
  useToasts.setState(({ toasts }) => ({
    toasts: [...toasts.filter((other) => other.text !== text), { id, kind, text, action }].slice(-4),
  }));
  return id;
}

/** Shows short messages at the edge of the screen that disappear by themselves. */
export const toast = {
  info: (text: string, action?: Toast["action"]) => add("info", text, action),
  success: (text: string, action?: Toast["action"]) => add("success", text, action),
  error: (text: string, action?: Toast["action"]) => add("error", text, action),
  dismiss: (id: number) => useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((one) => one.id !== id) })),
};
