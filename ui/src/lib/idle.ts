import { followActivity, idleFor } from "./activity";

/** Reports when the member has been idle in all tabs for `limit` milliseconds, and when they return. */
export function watchIdle(limit: number, tell: (idle: boolean) => void) {
  let idle = idleFor() >= limit;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    const rest = limit - idleFor();
    if (idle !== rest <= 0) {
      idle = !idle;
      tell(idle);
    }
    if (!idle) timer = setTimeout(look, Math.max(rest, 1000));
  };
  const stop = followActivity(() => {
    if (idle) look();
  });
  look();
  return {
    now: () => idle,
    stop: () => {
      clearTimeout(timer);
      stop();
    },
  };
}
