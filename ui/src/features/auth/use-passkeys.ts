import { useEffect, useRef, useState } from "react";
import { signInByPasskey } from "./data";

interface Passkeys {
  offered: boolean;
  rememberMe: boolean;
  attempt: (call: () => Promise<void>) => Promise<void>;
  onSignedIn: () => Promise<void> | void;
}

/** Milliseconds for which a question of the server's is waited with: it is good for five minutes. */
const patience = 240_000;

const webauthn = () => import("@/lib/webauthn");

/** Signing in by a passkey: with a button, and among the suggestions of the address field where the browser has it. */
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
        // A question is good for a while only; one that nobody answered is asked anew.
        const over = AbortSignal.timeout(patience);
        try {
          await signInByPasskey(latest.current.rememberMe, { conditional: true, signal: AbortSignal.any([stop.signal, over]) });
          return await latest.current.onSignedIn();
        } catch (error) {
          if (!over.aborted) throw error;
        }
      }
    };
    // Nobody asked for it, so nobody is told that it came to nothing.
    suggest().catch(() => undefined);
    return () => stop.abort();
  }, [can]);

  const ask = () => {
    // A browser asks one question at a time.
    waiting.current?.abort();
    setAsking(true);
    void attempt(async () => {
      const { wasTurnedAway } = await webauthn();
      try {
        await signInByPasskey(rememberMe);
      } catch (error) {
        if (wasTurnedAway(error)) return;
        throw error;
      }
      await onSignedIn();
    }).finally(() => setAsking(false));
  };

  return { offered: can, asking, ask };
}
