import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker } from "react-router";
import { ConfirmDialog } from "./confirm-dialog";

interface QuestionProps {
  isOpen: boolean;
  onCancel: () => void;
  onDiscard: () => void;
}

function Question({ isOpen, onCancel, onDiscard }: QuestionProps) {
  const { t } = useTranslation();
  return (
    <ConfirmDialog
      title={t("ui.form.leaveTitle")}
      text={t("ui.form.leaveText")}
      confirm={t("ui.form.discard")}
      isOpen={isOpen}
      onOpenChange={(shown) => !shown && onCancel()}
      onConfirm={onDiscard}
    />
  );
}

/** Asks before a dialog is closed that has unsaved work; the address stays. */
export function useDiscardGuard(dirty: boolean, onClose: () => void) {
  const [isAsked, setAsked] = useState(false);
  return {
    close: () => (dirty ? setAsked(true) : onClose()),
    question: <Question isOpen={isAsked} onCancel={() => setAsked(false)} onDiscard={onClose} />,
  };
}

/**
 * Asks before unsaved work is left. `allow` permits the next navigation without asking, after a save that the form does
 * not know of yet.
 */
export function useLeaveGuard(dirty: boolean, onDiscard?: () => void) {
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
      <Question
        isOpen={blocker.state === "blocked" || asked !== undefined}
        onCancel={() => {
          if (leaving.current) return;
          setAsked(undefined);
          blocker.reset?.();
        }}
        onDiscard={() => {
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
