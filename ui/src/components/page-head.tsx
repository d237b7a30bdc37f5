import type { ReactNode } from "react";

export interface PageHeadProps {
  title: ReactNode;
  /** One sentence below it. */
  lead?: ReactNode;
  actions?: ReactNode;
}

/** A screen's heading, with its main actions at the right. */
export function PageHead({ title, lead, actions }: PageHeadProps) {
  return (
    <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <h1 className="text-2xl font-title tracking-[-.022em] text-ink">{title}</h1>
        {lead && <div className="mt-1 text-muted">{lead}</div>}
      </div>
      {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
