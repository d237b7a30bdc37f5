import { SquareUser } from "lucide-react";
import { Link } from "react-router";
import type { Deal } from "@/api/schema";
import { openedState, pathOfKind } from "@/records/kinds";

type BuyingField = "organizationId" | "organizationName" | "customerId" | "customerName";
type Buying = { [K in BuyingField]?: Deal[K] | undefined };

/** Returns who may buy, if the reader sees the name: the organization, or else the person. */
export function buyerOf({ organizationId, organizationName, customerId, customerName }: Buying) {
  if (organizationId && organizationName) return { kind: "organization", id: organizationId, name: organizationName } as const;
  return customerId && customerName ? ({ kind: "customer", id: customerId, name: customerName } as const) : undefined;
}

/** A link to who may buy; `isStill` where it is inside of something that is pressed. */
export function Buyer({ isStill = false, ...deal }: Buying & { isStill?: boolean }) {
  const buyer = buyerOf(deal);
  if (!buyer) return null;
  const { kind, id, name } = buyer;
  const link = isStill ? (
    <span dir="auto" className="block truncate">
      {name}
    </span>
  ) : (
    <Link to={`${pathOfKind(kind)}/${id}`} state={openedState} dir="auto" title={name} className="block truncate hover:underline">
      {name}
    </Link>
  );
  if (kind === "organization") return link;
  return (
    <span className="flex min-w-0 items-center gap-1.5">
      <SquareUser aria-hidden size={14} className="shrink-0 text-muted" />
      {link}
    </span>
  );
}
