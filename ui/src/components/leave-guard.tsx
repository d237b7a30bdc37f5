import { useEffect, useRef } from "react";
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
    dialog: (
      <ConfirmDialog
        title={t("ui.form.leaveTitle")}
        text={t("ui.form.leaveText")}
        confirm={t("ui.form.discard")}
        isOpen={blocker.state === "blocked"}
        onOpenChange={(shown) => !shown && !leaving.current && blocker.reset?.()}
        onConfirm={() => {
          leaving.current = true;
          onDiscard?.();
          blocker.proceed?.();
        }}
      />
    ),
  };
}
