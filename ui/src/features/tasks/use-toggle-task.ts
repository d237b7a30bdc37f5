import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import { toast } from "@/lib/toast";
import { usePatchTask } from "./data";

/** Completes a task or opens it again. `withDone` is whether the list shows completed tasks: one that leaves it is announced. */
export function useToggleTask(withDone: boolean) {
  const { t } = useTranslation();
  const { mutate, mutateAsync } = usePatchTask();
  return ({ id, title, completed }: Task) =>
    mutate(
      { id, patch: { completed: !completed } },
      {
        onSuccess: () => {
          if (completed || withDone) return;
          const name = title || t("ui.tasks.untitled");
          toast.success(t("ui.tasks.completedToast", { title: name }), {
            label: t("ui.action.undo"),
            run: () => mutateAsync({ id, patch: { completed: false } }),
            undone: t("ui.undo.what", { what: name }),
          });
        },
      },
    );
}
