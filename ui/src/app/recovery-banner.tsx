import { PenLine } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { Button } from "@/components/button";
import { useUser } from "@/features/account/data";
import { canRestoreInput, discardRecovery, hasRecovery, restoreInput, trackInput } from "@/lib/input-recovery";

/** Milliseconds to wait before checking the screen, because forms fill themselves first. */
const settleMs = 300;

/** Offers to restore the input from before the session ended, once its fields exist again. */
export function RecoveryBanner() {
  const { t } = useTranslation();
  const { id } = useUser();
  const { pathname } = useLocation();
  const [offered, setOffered] = useState(false);
  useEffect(trackInput, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path is a new screen to check
  useEffect(() => {
    if (!hasRecovery(id)) return;
    let timer: ReturnType<typeof setTimeout>;
    const update = () => {
      clearTimeout(timer);
      timer = setTimeout(() => setOffered(canRestoreInput(id)), settleMs);
    };
    update();
    const observer = new MutationObserver(update);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      clearTimeout(timer);
      observer.disconnect();
    };
  }, [id, pathname]);
  const closeWith = (action: (member: string) => void) => {
    action(id);
    setOffered(false);
  };
  return (
    <div role="status" className="max-w-full">
      {offered && (
        <div className="pointer-events-auto flex max-w-130 flex-wrap items-center gap-x-4 gap-y-3 rounded-2xl border border-line bg-surface px-4 py-3 shadow-panel animate-enter">
          <PenLine aria-hidden size={20} className="shrink-0 text-accent" />
          <p className="min-w-48 flex-1">{t("ui.rescue.text")}</p>
          <div className="ml-auto flex gap-2">
            <Button onClick={() => closeWith(discardRecovery)}>{t("ui.form.discard")}</Button>
            <Button variant="primary" onClick={() => closeWith(restoreInput)}>
              {t("ui.rescue.putBack")}
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}
