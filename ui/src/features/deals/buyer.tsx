import { useQuery } from "@tanstack/react-query";
import { SquareUser } from "lucide-react";
import { Link } from "react-router";
import type { Deal } from "@/api/schema";
import { openedState, pathOfKind } from "@/records/kinds";
import { titleQuery } from "@/records/record-titles";

/** A person or organization as a link to it; nothing while its name is unknown. */
export function BuyerLink({ kind, id, className }: { kind: "customer" | "organization"; id: string; className?: string }) {
  const { data: name } = useQuery(titleQuery(kind, id));
  return (
    name && (
      <Link
        to={`${pathOfKind(kind)}/${id}`}
        state={openedState}
        dir="auto"
        title={name}
        className={className ?? "block truncate hover:underline"}
      >
        {name}
      </Link>
    )
  );
}

/** Who may buy: the organization, or else the person. */
export function Buyer({ organizationId, customerId }: Pick<Deal, "organizationId" | "customerId">) {
  if (organizationId) return <BuyerLink kind="organization" id={organizationId} />;
  return (
    customerId && (
      <span className="flex min-w-0 items-center gap-1.5">
        <SquareUser aria-hidden size={14} className="shrink-0 text-muted" />
        <BuyerLink kind="customer" id={customerId} />
      </span>
    )
  );
}
