import { useEffect, useRef, useState } from "react";
import { signInByPasskey } from "./data";

interface Passkeys {
  offered: boolean;
  rememberMe: boolean;
  attempt: (call: () => Promise<void>) => Promise<void>;
  onSignedIn: () => Promise<void> | void;
}

/** Milliseconds for which a challenge is used; the server accepts it for five minutes. */
const offerMs = 240_000;

const webauthn = () => import("@/lib/webauthn");

/** Signs in by passkey: with a button, and in the suggestions of the address field if the browser supports it. */
export function usePasskeys({ offered, rememberMe, attempt, onSignedIn }: Passkeys) {
  const [asking, setAsking] = useState(false);
  const waiting = useRef<AbortController>(undefined);
  const latest = useRef({ rememberMe, attempt, onSignedIn });
  useEffect(() => {
    latest.current = { rememberMe, attempt, onSignedIn };
  });
  const can = offered && typeof PublicKeyCredential !== "undefined";

  useEffect(() => {
    if (!can) return;
    const stop = new AbortController();
    waiting.current = stop;
    const suggest = async () => {
      const { suggestsPasskeys } = await webauthn();
      if (!(await suggestsPasskeys())) return;
      while (!stop.signal.aborted) {
        // A challenge expires; one that was not answered is replaced by a new one.
        const over = AbortSignal.timeout(offerMs);
        try {
          await signInByPasskey(latest.current.rememberMe, { conditional: true, signal: AbortSignal.any([stop.signal, over]) });
          return await latest.current.onSignedIn();
        } catch (error) {
          if (!over.aborted) throw error;
        }
      }
    };
    // The member did not ask for it, so a failure is not shown.
    suggest().catch(() => undefined);
    return () => stop.abort();
  }, [can]);

  const ask = () => {
    // A browser handles one passkey request at a time.
    waiting.current?.abort();
    setAsking(true);
    void attempt(async () => {
      const { wasCancelled } = await webauthn();
      try {
        await signInByPasskey(rememberMe);
      } catch (error) {
        if (wasCancelled(error)) return;
        throw error;
      }
      await onSignedIn();
    }).finally(() => setAsking(false));
  };

  return { offered: can, asking, ask };
}
