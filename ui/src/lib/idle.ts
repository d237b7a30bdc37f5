import { followActivity, idleFor } from "./activity";

/** Tells when the person has done nothing for so many milliseconds in any tab, and when they are back. */
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
