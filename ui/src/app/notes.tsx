import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useLook } from "@/lib/look";
import { ConnectionNote } from "./connection-note";
import { RescueNote } from "./rescue-note";
import { UpdateNote } from "./update-note";

const LookBar = lazy(() => import("@/features/settings/look-bar"));
const FactorNote = lazy(() => import("./factor-note"));

/** Milliseconds after entry in which nothing is asked for that no screen waits for. */
const rest = 4_000;

/** What hovers over the end of the screen: the lost connection, a new version, words that were rescued, a look that is tried out. */
export function Notes() {
  const { trying } = useLook();
  const ref = useRef<HTMLDivElement>(null);
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), rest);
    return () => clearTimeout(timer);
  }, []);
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
      <UpdateNote />
      <RescueNote />
      <Suspense>{rested && <FactorNote />}</Suspense>
      <Suspense>{trying && <LookBar />}</Suspense>
    </div>
  );
}
