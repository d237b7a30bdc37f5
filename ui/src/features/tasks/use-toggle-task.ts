import { useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import type { Task } from "@/api/schema";
import { toast } from "@/lib/toast";
import { recordQuery } from "@/records/data";
import { addEntry, discardCompletions } from "@/records/outbox";
import { patched, refreshFigures, refreshLists, show } from "./data";

/**
 * Completes a task or opens it again: shown at once, and kept in this browser until the server has it. `withDone` is whether
 * the list shows completed tasks: one that leaves it is announced.
 */
export function useToggleTask(withDone: boolean) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const set = ({ id, title }: Task, completed: boolean, saved: () => void) => {
    const { queryKey } = recordQuery("task", id);
    discardCompletions(id);
    const isKept = addEntry(
      { kind: "completion", input: { taskId: id, title, completed } },
      {
        saved: (task) => {
          show(client, id, () => task);
          refreshFigures(client);
          saved();
        },
        refused: (error) => {
          toast.error(errorText(error));
          void refreshLists(client);
          void client.invalidateQueries({ queryKey });
          return true;
        },
      },
    );
    if (!isKept) return;
    show(client, id, (task) => patched(task, { completed }));
    client.setQueryData(queryKey, (task) => task && patched(task, { completed }));
  };
  return (task: Task) =>
    set(task, !task.completed, () => {
      if (task.completed || withDone) return;
      const name = task.title || t("ui.tasks.untitled");
      toast.success(t("ui.tasks.completedToast", { title: name }), {
        label: t("ui.action.undo"),
        run: async () => set(task, false, () => undefined),
        undone: t("ui.undo.what", { what: name }),
      });
    });
}
