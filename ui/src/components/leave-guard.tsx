import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router";
import { ConfirmDialog } from "./confirm-dialog";

/**
 * Asks before unsaved work is left. `allow` permits the next navigation without asking, after a save that the form does
 * not know of yet.
 */
export function useLeaveGuard(dirty: boolean, onDiscard?: () => void) {
  const { t } = useTranslation();
  const open = useRef(false);
  const leaving = useRef(false);
  /** What is done without leaving the address, once the member has agreed. */
  const [asked, setAsked] = useState<() => void>();
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && !open.current && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return;
    const ask = (event: BeforeUnloadEvent) => {
      if (!open.current) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, [dirty]);
  return {
    allow: () => {
      open.current = true;
    },
    /** Discards the work, after asking if there is any. */
    discard: (then: () => void) => {
      if (dirty) setAsked(() => then);
      else then();
    },
    dialog: (
      <ConfirmDialog
        title={t("ui.form.leaveTitle")}
        text={t("ui.form.leaveText")}
        confirm={t("ui.form.discard")}
        isOpen={blocker.state === "blocked" || asked !== undefined}
        onOpenChange={(shown) => {
          if (shown || leaving.current) return;
          setAsked(undefined);
          blocker.reset?.();
        }}
        onConfirm={() => {
          if (asked) {
            setAsked(undefined);
            return asked();
          }
          leaving.current = true;
          onDiscard?.();
          return blocker.proceed?.();
        }}
      />
    ),
  };
}
