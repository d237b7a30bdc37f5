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
  /** Calls back once it is known whether the server has it; false also says that it waits for a connection. */
  const set = ({ id, title }: Task, completed: boolean, tell: (isSaved: boolean) => void) => {
    const { queryKey } = recordQuery("task", id);
    discardCompletions(id);
    const isKept = addEntry(
      { kind: "completion", input: { taskId: id, title, completed } },
      {
        saved: (task) => {
          show(client, id, () => task);
          refreshFigures(client);
          tell(true);
        },
        waits: () => tell(false),
        refused: (error) => {
          tell(false);
          toast.error(errorText(error));
          void refreshLists(client);
          void client.invalidateQueries({ queryKey });
          return true;
        },
      },
    );
    if (!isKept) return tell(false);
    show(client, id, (task) => patched(task, { completed }));
    client.setQueryData(queryKey, (task) => task && patched(task, { completed }));
  };
  return (task: Task) =>
    set(task, !task.completed, (isSaved) => {
      if (!isSaved || task.completed || withDone) return;
      const name = task.title || t("ui.tasks.untitled");
      toast.success(t("ui.tasks.completedToast", { title: name }), {
        label: t("ui.action.undo"),
        run: () => new Promise<boolean>((resolve) => set(task, false, resolve)),
        undone: t("ui.undo.what", { what: name }),
      });
    });
}
