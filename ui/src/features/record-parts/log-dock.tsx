import { Suspense, useEffect } from "react";
import { useLocation } from "react-router";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { endOffersOutside, useLogging } from "./logging";

const LogDialog = lazyOnIdle(() => import("./log-dialog"));

/** The dialog that adds an activity or a task to a record, opened from any screen. */
export function LogDock() {
  const { record, type } = useLogging();
  const { pathname } = useLocation();
  useEffect(() => endOffersOutside(pathname), [pathname]);
  return <Suspense>{record && <LogDialog key={record.id} record={record} type={type} />}</Suspense>;
}
