import { Avatar } from "@/components/avatar";
import { useMembers } from "./data";

/** A colleague by id: avatar and name, nothing while unknown. */
export function Person({ id, size = 24 }: { id: string | undefined; size?: number }) {
  const { find } = useMembers();
  const member = find(id);
  if (!member) return null;
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-middle">
      <Avatar name={member.name} src={member.avatar} size={size} />
      <span dir="auto" className="truncate">
        {member.name}
      </span>
    </span>
  );
}
