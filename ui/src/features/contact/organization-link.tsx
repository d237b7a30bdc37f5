import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { cx } from "@/lib/cx";
import { openedState, pathOfKind } from "@/records/kinds";
import { titleQuery } from "@/records/record-titles";

/** Returns the path of an organization. */
export const organizationPath = (id: string) => `${pathOfKind("organization")}/${id}`;

/** The name of an organization as a link to it; `name` is the one that its people had when they were read. */
export function OrganizationLink({ id, name, className }: { id: string; name: string; className?: string }) {
  const { data: title } = useQuery(titleQuery("organization", id));
  return (
    <Link
      to={organizationPath(id)}
      state={openedState}
      dir="auto"
      className={cx(
        "hover:underline [overflow-wrap:anywhere] pointer-coarse:-my-3 pointer-coarse:inline-block pointer-coarse:py-3",
        className,
      )}
    >
      {title ?? name}
    </Link>
  );
}
