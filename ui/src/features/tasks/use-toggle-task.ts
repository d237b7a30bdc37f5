import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import { toast } from "@/lib/toast";
import { usePatchTask } from "./data";

/** Completes a task or opens it again. `withDone` is whether the list shows completed tasks: one that leaves it is announced. */
export function useToggleTask(withDone: boolean) {
  const { t } = useTranslation();
  const { mutate } = usePatchTask();
  return ({ id, title, completed }: Task) =>
    mutate(
      { id, patch: { completed: !completed } },
      {
        onSuccess: () => {
          if (completed || withDone) return;
          toast.success(t("ui.tasks.completedToast", { title: title || t("ui.tasks.untitled") }), {
            label: t("ui.action.undo"),
            run: () => mutate({ id, patch: { completed: false } }),
          });
        },
      },
    );
}
