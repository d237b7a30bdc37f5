import { Suspense, useEffect } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useCompose } from "./store";

const ComposeDialog = lazyOnIdle(() => import("./compose-dialog"));
const close = () => useCompose.setState({ open: undefined });

/** The window for writing a message, opened from any screen. */
export function ComposeDock() {
  const { open } = useCompose();
  // It closes when the member leaves the application; the text is kept.
  useEffect(() => close, []);
  return <Suspense>{open && <ComposeDialog key={JSON.stringify(open)} {...open} onClose={close} />}</Suspense>;
}
