import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useAppearance } from "@/shell/appearance-preview";
import { ConnectionBanner } from "./connection-banner";
import { DamageBanner } from "./damage-banner";
import { RecoveryBanner } from "./recovery-banner";
import { SavingBanner } from "./saving-banner";
import { UpdateBanner } from "./update-banner";

const LookBar = lazy(() => import("@/features/settings/preview-bar"));

/** What hovers over the end of the screen: the lost connection, changes that are not saved, a new version, words that were rescued, a look that is tried out. */
export function Banners({ children }: { children?: ReactNode }) {
  const { previewing } = useAppearance();
  const ref = useRef<HTMLDivElement>(null);
  // The page's end and the toasts make room for it.
  useEffect(() => {
    const place = ref.current;
    if (!place || typeof ResizeObserver === "undefined") return;
    const { style } = document.documentElement;
    const watch = new ResizeObserver(() => style.setProperty("--notes", `${place.offsetHeight && place.offsetHeight + 16}px`));
    watch.observe(place);
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
      <Suspense>{previewing && <LookBar />}</Suspense>
    </div>
  );
}
