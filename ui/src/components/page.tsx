import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

/**
 * A screen's area inside the layout: every screen begins at the same left edge and height. What is to be read is a
 * centred column inside it, see `Column`.
 */
export function Page({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={cx("mx-auto w-full max-w-[1680px] min-w-0 px-4 pt-6 pb-6 md:px-6 md:pt-8 print:max-w-none print:p-0", className)}>
      {children}
    </div>
  );
}

/** A centred column for text and short lists. */
export function Column({ children }: { children: ReactNode }) {
  return <div className="mx-auto w-full max-w-3xl min-w-0">{children}</div>;
}
