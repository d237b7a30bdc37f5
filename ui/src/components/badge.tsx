import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";

/** How many wait, at the corner of a button; nothing at 0. */
export function Badge({ count, label, className }: { count: number; label?: string; className?: string }) {
  if (count <= 0) return null;
  return (
    <span
      className={cx(
        "min-w-4 rounded-lg bg-primary px-1 text-center text-[10px] leading-4 font-semibold text-on-primary tabular-nums ring-2 ring-surface",
        className,
      )}
    >
      <span aria-hidden={label ? true : undefined}>{count > 99 ? `${formatNumber(99)}+` : formatNumber(count)}</span>
      {label && <span className="sr-only">{label}</span>}
    </span>
  );
}
