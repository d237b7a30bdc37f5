import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

/** A row of 64 px above the page; screens place their sticky heads below it. */
export function Header({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <header
      className={cx(
        "no-print sticky top-0 z-[49] flex h-16 shrink-0 items-center gap-2 border-b border-line bg-surface px-1.5 sm:px-4 md:px-6",
        className,
      )}
    >
      {children}
    </header>
  );
}

/**
 * Two rows above the page; only the lower one stays while the page scrolls. The upper one returns while it has the
 * focus or is used for a search.
 */
export function TallHeader({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <header
      className={cx(
        "no-print sticky top-0 z-[49] shrink-0 md:top-(--stuck) md:has-[[data-tools]_:focus-visible]:top-0 md:has-[search]:top-0",
        className,
      )}
    >
      {children}
    </header>
  );
}
