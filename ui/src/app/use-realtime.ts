import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useUser } from "@/features/account/data";

/** Keeps the screens current with changes after a sequence number. The code for it loads after the first screen. */
export function useRealtime(after: number | undefined) {
  const client = useQueryClient();
  const { id } = useUser();
  useEffect(() => {
    let stop: (() => void) | undefined;
    let gone = false;
    const begin = async (failures = 0): Promise<void> => {
      try {
        const { startRealtime } = await import("./realtime-handlers");
        if (!gone) stop = startRealtime(client, id, after);
      } catch (error) {
        console.error(error);
        if (failures < 5 && !gone) setTimeout(() => void begin(failures + 1), 5_000 * 2 ** failures);
      }
    };
    void begin();
    return () => {
      gone = true;
      stop?.();
    };
  }, [client, id, after]);
}
