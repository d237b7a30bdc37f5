import { followActivity, idleFor } from "./activity";

/** Reports when the member has been idle in all tabs for `limit` milliseconds, and when they return. */
export function watchIdle(limit: number, onChange: (idle: boolean) => void) {
  let idle = idleFor() >= limit;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = () => {
    clearTimeout(timer);
    const remaining = limit - idleFor();
    if (idle !== remaining <= 0) {
      idle = !idle;
      onChange(idle);
    }
    if (!idle) timer = setTimeout(check, Math.max(remaining, 1000));
  };
  const stop = followActivity(() => {
    if (idle) check();
  });
  check();
  return {
    now: () => idle,
    stop: () => {
      clearTimeout(timer);
      stop();
    },
  };
}
