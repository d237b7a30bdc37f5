import { useEffect, useState } from "react";

/** Counts seconds down to 0, by the clock and not by the number of ticks. */
export function useCountdown(from = 0): [number, (seconds: number) => void] {
  const [ends, setEnds] = useState(() => performance.now() + from * 1000);
  const [left, setLeft] = useState(from);
  useEffect(() => {
    const update = () => {
      const seconds = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
      setLeft(seconds);
      if (seconds === 0) clearInterval(timer);
    };
    const timer = setInterval(update, 1000);
    return () => clearInterval(timer);
  }, [ends]);
  return [
    left,
    (seconds) => {
      setLeft(seconds);
      setEnds(performance.now() + seconds * 1000);
    },
  ];
}
