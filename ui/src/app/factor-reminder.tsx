import { lazy, Suspense, useEffect, useState } from "react";

/** Nothing, if the connection is lost meanwhile: it is asked for again at the next entry. */
const FactorBanner = lazy(() => import("./factor-banner").catch(() => ({ default: () => null })));

/** Milliseconds after entry without requests that no screen waits for. */
const delayMs = 4_000;

/** Checks, after the first screen is shown, whether a second factor will be required. */
export function FactorReminder() {
  const [isDue, setIsDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsDue(true), delayMs);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{isDue && <FactorBanner />}</Suspense>;
}
