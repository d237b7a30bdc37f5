import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { BinnedRecord } from "@/api/schema";
import { queryKeysOf } from "./kinds";
import { unmarkRemoved } from "./removed";

/** Takes records out of the bin. */
export function useRestore() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Pick<BinnedRecord, "id" | "kind">) => api.post("/api/bin/{id}/restore", {}, { path: { id } }),
    onSuccess: (_answer, { id, kind }) => {
      unmarkRemoved(id);
      for (const queryKey of [["bin"], ["merges"], ...queryKeysOf(kind)]) void client.invalidateQueries({ queryKey });
    },
  });
}
