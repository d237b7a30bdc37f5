import { TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { countDamaged, useDamage } from "@/lib/damage";

/** Shows that a list is incomplete, because part of it is damaged in the server's store. */
export function DamageBanner() {
  const { t } = useTranslation();
  const count = useDamage(countDamaged);
  const seen = useDamage((state) => state.seen);
  return (
    <div role="status" className="max-w-full">
      {count > seen && (
        <div className="pointer-events-auto flex max-w-150 flex-wrap items-center gap-x-4 gap-y-2 rounded-xl border border-line bg-surface px-4 py-3 shadow-panel animate-enter">
          <TriangleAlert aria-hidden size={20} className="shrink-0 text-warn" />
          <p className="min-w-48 flex-1">{t("ui.list.damaged", { count })}</p>
          <Button size="sm" onClick={() => useDamage.setState({ seen: count })}>
            {t("ui.list.damagedSeen")}
          </Button>
        </div>
      )}
    </div>
  );
}
