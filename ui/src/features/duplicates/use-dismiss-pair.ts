import { useTranslation } from "react-i18next";
import { toast } from "@/lib/toast";
import type { MergedKind } from "@/records/kinds";
import { useDismiss } from "./data";

/** Returns a function that says that two records are no duplicates, which can be undone. */
export function useDismissPair(kind: MergedKind) {
  const { t } = useTranslation();
  const { mutateAsync } = useDismiss(kind);
  return async (ids: [string, string], [one, other]: [string, string]) => {
    // After the call, a part of the screen that is gone by then still offers to undo it.
    const isDone = await mutateAsync({ ids, dismissed: true }).then(
      () => true,
      () => false,
    );
    if (!isDone) return;
    toast.success(t("ui.duplicates.dismissed", { one, other }), {
      label: t("ui.action.undo"),
      run: () => mutateAsync({ ids, dismissed: false }),
    });
  };
}
