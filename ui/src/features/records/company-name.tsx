import { Building2 } from "lucide-react";

/** The name of an organization, with the icon that tells it from a text. */
export const CompanyName = ({ name }: { name: string }) => (
  <span className="inline-flex max-w-full items-start gap-1.5">
    <Building2 aria-hidden size={16} className="mt-0.5 shrink-0 text-muted" />
    <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
      {name}
    </span>
  </span>
);
