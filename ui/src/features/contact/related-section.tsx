import { Plus } from "lucide-react";
import type { ReactNode } from "react";
import { ButtonLink } from "@/components/button-link";

export interface RelatedSectionProps {
  id: string;
  title: string;
  /** The way to add a record; absent for members who may not. */
  add?: { to: string; label: string; state?: unknown } | undefined;
  /** The way to all records; absent when all are shown. */
  all?: { to: string; label: string } | undefined;
  children: ReactNode;
}

/** Records that belong to the one shown, below a title. */
export function RelatedSection({ id, title, add, all, children }: RelatedSectionProps) {
  const link = { size: "sm", variant: "ghost" } as const;
  return (
    <section aria-labelledby={id} className="mt-7 border-t border-line pt-4">
      <div className="flex min-h-8.5 items-center justify-between gap-2">
        <h3 id={id} className="text-sm font-semibold text-ink">
          {title}
        </h3>
        {add && (
          <ButtonLink to={add.to} state={add.state} {...link} icon={Plus} className="fingertip relative no-print -mr-2.75">
            {add.label}
          </ButtonLink>
        )}
      </div>
      {children}
      {all && (
        <ButtonLink to={all.to} {...link} className="fingertip relative no-print -ml-2.75">
          {all.label}
        </ButtonLink>
      )}
    </section>
  );
}
