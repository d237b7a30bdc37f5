import { lazy, type ReactNode, Suspense, useEffect, useRef } from "react";
import { useLook } from "@/lib/look";
import { ConnectionNote } from "./connection-note";
import { DamageNote } from "./damage-note";
import { RescueNote } from "./rescue-note";
import { SavingNote } from "./saving-note";
import { UpdateNote } from "./update-note";

const LookBar = lazy(() => import("@/features/settings/look-bar"));

/** What hovers over the end of the screen: the lost connection, changes that are not saved, a new version, words that were rescued, a look that is tried out. */
export function Notes({ children }: { children?: ReactNode }) {
  const { trying } = useLook();
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
      <ConnectionNote />
      <SavingNote />
      <DamageNote />
      <UpdateNote />
      <RescueNote />
      {children}
      <Suspense>{trying && <LookBar />}</Suspense>
    </div>
  );
}
