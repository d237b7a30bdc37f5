import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { type CreatedKind, pathOfKind } from "@/records/kinds";
import { titleQuery } from "@/records/record-titles";

/** The title of a record by its id, nothing while it is unknown; `isLink` leads to the record. */
export function RecordTitle({ kind, id, isLink = false }: { kind: CreatedKind; id: string; isLink?: boolean }) {
  const { data } = useQuery(titleQuery(kind, id));
  if (!data || !isLink) return data;
  return (
    <Link to={`${pathOfKind(kind)}/${id}`} className="text-accent hover:underline">
      {data}
    </Link>
  );
}
