import type { ReactNode } from "react";

/** The title of a page before sign-in, with a line below it. */
export function AuthHead({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <>
      <h1 className="mt-9 text-2xl font-title tracking-[-.022em] text-balance text-ink [overflow-wrap:anywhere]">{title}</h1>
      {children && <div className="mt-1 text-muted [overflow-wrap:anywhere]">{children}</div>}
    </>
  );
}
