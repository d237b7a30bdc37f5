import type { RecordKind, Stamped } from "@/api/schema";
import { useSession } from "@/api/session";
import { recordKinds } from "@/records/kinds";

/** Whether the member may delete a record: any, or only those they created. */
export function useMayDelete(kind: RecordKind): (record: Pick<Stamped, "createdBy">) => boolean {
  const user = useSession((state) => state.user);
  const { name } = recordKinds[kind];
  const any = user?.permissions.includes(`${name}.delete`) ?? false;
  const own = user?.permissions.includes(`${name}.delete_own`) ?? false;
  return (record) => any || (own && record.createdBy !== undefined && record.createdBy === user?.id);
}
