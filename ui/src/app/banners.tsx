import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useAppearance } from "@/shell/appearance-preview";
import { ConnectionBanner } from "./connection-banner";
import { DamageBanner } from "./damage-banner";
import { RecoveryBanner } from "./recovery-banner";
import { SavingBanner } from "./saving-banner";
import { UpdateBanner } from "./update-banner";

const PreviewBar = lazy(() => import("@/features/settings/preview-bar"));

/**
 * Banners at the bottom of the screen: lost connection, unsaved changes, new version, recovered input, appearance
 * preview.
 */
export function Banners({ children }: { children?: ReactNode }) {
  const { previewing } = useAppearance();
  const ref = useRef<HTMLDivElement>(null);
  // The bottom of the page and the toasts leave room for them.
  useEffect(() => {
    const box = ref.current;
    if (!box || typeof ResizeObserver === "undefined") return;
    const { style } = document.documentElement;
    const watch = new ResizeObserver(() => style.setProperty("--notes", `${box.offsetHeight && box.offsetHeight + 16}px`));
    watch.observe(box);
    return () => {
      watch.disconnect();
      style.removeProperty("--notes");
    };
  }, []);
  return (
    <div ref={ref} className="no-print pointer-events-none fixed inset-x-3 bottom-4 z-[998] grid justify-items-center [&>*>*]:mt-2">
      <ConnectionBanner />
      <SavingBanner />
      <DamageBanner />
      <UpdateBanner />
      <RecoveryBanner />
      {children}
      <Suspense>{previewing && <PreviewBar />}</Suspense>
    </div>
  );
}
