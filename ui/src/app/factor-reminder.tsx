import { lazy, Suspense, useEffect, useState } from "react";

const FactorBanner = lazy(() => import("./factor-banner"));

/** Milliseconds after entry in which nothing is asked for that no screen waits for. */
const rest = 4_000;

/** Looks, once the screen is there, whether a second factor is asked for. */
export function FactorReminder() {
  const [rested, setRested] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setRested(true), rest);
    return () => clearTimeout(timer);
  }, []);
  return <Suspense>{rested && <FactorBanner />}</Suspense>;
}
