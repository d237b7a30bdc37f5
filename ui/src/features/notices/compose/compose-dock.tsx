import { Suspense, useEffect } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useCompose } from "./store";

const ComposeDialog = lazyOnIdle(() => import("./compose-dialog"));
const close = () => useCompose.setState({ open: undefined });

/** The window in which a message is written, wherever one asked for it. */
export function ComposeDock() {
  const { open } = useCompose();
  // Who leaves the application leaves it as well; what was typed is kept.
  useEffect(() => close, []);
  return <Suspense>{open && <ComposeDialog key={JSON.stringify(open)} {...open} onClose={close} />}</Suspense>;
}
