import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "@/api/client";
import type { Customer } from "@/api/schema";
import { queryKeysOf } from "@/records/kinds";
import { markRemoved, unmarkRemoved } from "@/records/removed";

/** Who is erased. */
export type Person = Pick<Customer, "id" | "name">;

/** Erases a person: the record is gone at once, the rest in the background. */
export function useErasePerson({ id, name }: Person) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => api.post("/api/customers/{id}/erasure", { name }, { path: { id } }),
    onMutate: () => markRemoved(id),
    onSuccess: () => {
      client.removeQueries({ queryKey: ["customers", "one", id] });
      for (const queryKey of [...queryKeysOf("customer"), ["bin"]]) void client.invalidateQueries({ queryKey });
    },
    onError: () => unmarkRemoved(id),
  });
}
