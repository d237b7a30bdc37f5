import { Suspense } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useLogging } from "./logging";

const LogDialog = lazyOnIdle(() => import("./log-dialog"));

/** The dialog that adds an activity or a task to a record, opened from any screen. */
export function LogDock() {
  const { record, type } = useLogging();
  return <Suspense>{record && <LogDialog key={record.id} record={record} type={type} />}</Suspense>;
}
