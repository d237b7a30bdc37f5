import { lazy, Suspense, useEffect, useState } from "react";
import { lockSession, useUser } from "@/features/account/data";
import { idleFor, stayActive, waitForAnswer, watchActivity } from "@/lib/activity";

const IdleWarning = lazy(() => import("./idle-warning"));

/** Milliseconds before the limit at which the warning appears. */
const warningMs = 60_000;

/** Locks the session, in all tabs, after the idle time that the company allows. */
export function IdleGuard() {
  const minutes = useUser().customer.idleMinutes;
  const [left, setLeft] = useState<number>();
  useEffect(() => {
    if (minutes === 0) return;
    const limit = minutes * 60_000;
    const warnAt = Math.min(warningMs, limit / 2);
    let over = false;
    const check = () => {
      const remaining = limit - idleFor();
      waitForAnswer(remaining <= warnAt);
      setLeft(remaining <= warnAt ? Math.ceil(Math.max(0, remaining) / 1000) : undefined);
      if (remaining > 0 || over) return remaining <= 0;
      over = true;
      void lockSession({ always: true });
      return true;
    };
    const timer = setInterval(check, 1000);
    const stop = watchActivity(check);
    return () => {
      clearInterval(timer);
      stop();
      waitForAnswer(false);
    };
  }, [minutes]);
  const stay = () => {
    stayActive();
    waitForAnswer(false);
    setLeft(undefined);
  };
  return <Suspense>{left !== undefined && <IdleWarning left={left} onStay={stay} />}</Suspense>;
}
