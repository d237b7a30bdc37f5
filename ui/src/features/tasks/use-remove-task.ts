import { useTranslation } from "react-i18next";
import type { Task } from "@/api/schema";
import { toast } from "@/lib/toast";
import { remake, useAddTask, useDeleteTask } from "./data";

/** Deletes at once, and offers to undo, which creates the same task again. */
export function useRemoveTask() {
  const { t } = useTranslation();
  const { mutate: remove } = useDeleteTask();
  const { mutate: add } = useAddTask();
  return (task: Task, after?: () => void) =>
    remove(task, {
      onSuccess: () => {
        after?.();
        toast.success(t("ui.tasks.deleted", { title: task.title || t("ui.tasks.untitled") }), {
          label: t("ui.action.undo"),
          run: () => add(remake(task)),
        });
      },
    });
}
