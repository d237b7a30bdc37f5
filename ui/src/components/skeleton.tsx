import { cx } from "@/lib/cx";

/** A placeholder for loading content; appears after 200 ms, so that a quick response does not flicker. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden className={cx("animate-late", className)}>
      <div className="size-full min-h-4 animate-pulse rounded-lg bg-gray-200/70" />
    </div>
  );
}

/** Placeholder rows of a loading list. */
export function SkeletonRows({ rows = 5, className }: { rows?: number; className?: string }) {
  return (
    <div aria-busy className={cx("grid gap-4", className)}>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <div key={row} className="flex items-center gap-3">
          <Skeleton className="size-9 shrink-0" />
          <div className="grid flex-1 gap-2">
            <Skeleton className="h-4 w-2/5" />
            <Skeleton className="h-4 w-3/5" />
          </div>
        </div>
      ))}
    </div>
  );
}
