import type { ChatContact, Status } from "@/api/schema";
import { useStatusOf } from "@/shell/presence";

/** Whether a contact is there now; undefined when they are not, and for who is nobody, such as a group. */
export function useContactStatus({ id, status: said }: Pick<ChatContact, "id" | "status">): Status | undefined {
  const status = useStatusOf(id, said);
  return status === "not-visible" ? undefined : status;
}
