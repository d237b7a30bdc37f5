import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type CreatedKind, pathOfKind } from "@/records/kinds";
import { titleQuery } from "@/records/record-titles";

export interface RecordTitleProps {
  kind: CreatedKind;
  id: string;
  /** Whether it leads to the record. */
  isLink?: boolean;
  /** The classes of the link. */
  className?: string;
  /** The state of the navigation. */
  state?: unknown;
}

/** The title of a record by its id, nothing while it is unknown. */
export function RecordTitle({
  kind,
  id,
  isLink = false,
  className = "fingertip relative text-accent hover:underline",
  state,
}: RecordTitleProps) {
  const { data } = useQuery(titleQuery(kind, id));
  if (!data || !isLink) return data;
  return (
    <Link to={`${pathOfKind(kind)}/${id}`} state={state} dir="auto" className={className}>
      {data}
    </Link>
  );
}
