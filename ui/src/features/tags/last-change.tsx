import { useQuery } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { ProgressBar } from "@/components/progress-bar";
import { ago, formatNumber } from "@/lib/format";
import { isInProgress, tagChangeQuery, useLastTagChange } from "./data";
import { changeText, undoTagChanges } from "./tag-work";

/** The last change of a tag: how far it is, and a way to undo it. */
export function LastChange() {
  const { t } = useTranslation();
  const id = useLastTagChange((last) => last.id);
  const { data: change } = useQuery(tagChangeQuery(id));
  if (!change) return null;
  const { state, total, changed, skipped, undone, createdAt } = change;
  if (isInProgress(change)) {
    const [done, all] = state === "undoing" ? [undone, changed] : [changed + skipped, total];
    return (
      <div className="border-t border-line px-5 py-4 sm:px-6">
        <ProgressBar
          showsLabel
          label={state === "undoing" ? t("ui.tags.undoing", { tag: change.from }) : changeText(change, false)}
          text={t("ui.list.bulk.doneSoFar", { done: formatNumber(done), total: formatNumber(all) })}
          share={all === 0 ? 0 : done / all}
        />
      </div>
    );
  }
  if (state === "undone") return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line px-5 py-3 sm:px-6">
      <p className="min-w-40 flex-1 text-sm [overflow-wrap:anywhere]">
        {changeText(change)}
        <span className="block text-muted">
          {[t("ui.tags.records", { count: changed, total: formatNumber(changed) }), ago(createdAt)].join(" · ")}
        </span>
      </p>
      <Button size="sm" icon={Undo2} onClick={() => void undoTagChanges([change])}>
        {t("ui.action.undo")}
      </Button>
    </div>
  );
}
