import { useQueryClient } from "@tanstack/react-query";
import type { Task } from "@/api/schema";
import { useRemove } from "@/records/use-remove";
import { refreshLists, show } from "./data";

/** Moves a task or section to the bin; the lists show it at once. */
export function useRemoveTask() {
  const client = useQueryClient();
  const { mutate } = useRemove("task", {
    show: (id) => show(client, id, () => undefined),
    failed: () => void refreshLists(client),
  });
  return ({ id, title }: Task, onSuccess?: () => void) => mutate({ id, title }, { onSuccess: () => onSuccess?.() });
}
