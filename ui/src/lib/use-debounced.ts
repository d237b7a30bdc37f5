import { useEffect, useState } from "react";

/** Returns the value after it has not changed for `delay` milliseconds. */
export function useDebounced<T>(value: T, delay: number): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), delay);
    return () => clearTimeout(timer);
  }, [value, delay]);
  return rested;
}
