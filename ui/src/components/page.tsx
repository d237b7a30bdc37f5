import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

const widths = { narrow: "max-w-3xl", normal: "max-w-[1200px]", wide: "max-w-none" };

/** A screen's area inside the layout. */
export function Page({ width = "normal", className, children }: { width?: keyof typeof widths; className?: string; children: ReactNode }) {
  return (
    <div className={cx("mx-auto w-full min-w-0 px-4 pt-6 pb-6 sm:px-6 md:pt-8 print:max-w-none print:p-0", widths[width], className)}>
      {children}
    </div>
  );
}
