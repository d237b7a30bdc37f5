import type { Stamped } from "@/api/schema";
import { useSession } from "@/api/session";

/** Whether the member may delete a record: any, or only those they created. */
export function useMayDelete(kind: "customers" | "tasks" | "events" | "pages"): (record: Pick<Stamped, "createdBy">) => boolean {
  const user = useSession((state) => state.user);
  const any = user?.permissions.includes(`${kind}.delete`) ?? false;
  const own = user?.permissions.includes(`${kind}.delete_own`) ?? false;
  return (record) => any || (own && record.createdBy !== undefined && record.createdBy === user?.id);
}
