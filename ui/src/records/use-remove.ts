import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { api } from "@/api/client";
import { toast } from "@/lib/toast";
import { type CreatedKind, queryKeysOf, recordKinds } from "./kinds";
import { markRemoved, unmarkRemoved } from "./removed";
import { useRestore } from "./use-restore";

interface Removal {
  id: string;
  title: string;
}

/** Moves records of a kind to the bin at once, and offers to undo. */
export function useRemove(kind: CreatedKind, optimistic?: { show: (id: string) => void; failed: () => void }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const { name } = recordKinds[kind];
  const { mutateAsync: restore } = useRestore();
  return useMutation({
    mutationFn: ({ id }: Removal) => api.delete(`/api/${name}/{id}`, { path: { id } }),
    onMutate: ({ id }) => {
      markRemoved(id);
      optimistic?.show(id);
    },
    onSuccess: (_answer, { id, title: ownTitle }) => {
      const title = ownTitle || t("ui.records.untitled");
      client.removeQueries({ queryKey: [name, "one", id] });
      for (const queryKey of queryKeysOf(kind)) void client.invalidateQueries({ queryKey });
      toast.success(t("ui.records.removed", { title }), {
        label: t("ui.action.undo"),
        run: () => restore({ id, kind }),
        undone: t("ui.bin.restored", { title }),
      });
    },
    onError: (_error, { id }) => {
      unmarkRemoved(id);
      optimistic?.failed();
    },
  });
}
