import type { ChatContact, Status } from "@/api/schema";
import { useStatusOf } from "@/shell/presence";

/** Returns a contact's status if they are present; undefined otherwise, and for groups. */
export function useContactStatus({ id, status: initial }: Pick<ChatContact, "id" | "status">): Status | undefined {
  const status = useStatusOf(id, initial);
  return status === "not-visible" ? undefined : status;
}
