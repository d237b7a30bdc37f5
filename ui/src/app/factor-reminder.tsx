import { lazy, Suspense, useEffect, useState } from "react";

const FactorBanner = lazy(() => import("./factor-banner"));

/** Milliseconds after entry without requests that no screen waits for. */
const rest = 4_000;

/** Checks, after the first screen is shown, whether a second factor will be required. */
export function FactorReminder() {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), rest);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{rested && <FactorBanner />}</Suspense>;
}
