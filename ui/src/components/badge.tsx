import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";

/** A count at the corner of a button; hidden at 0. Visual only: state the number in the button's description. */
export function Badge({ count, className }: { count: number; className?: string }) {
  if (count <= 0) return null;
  return (
    <span
      aria-hidden
      data-count={count > 99 ? `${formatNumber(99)}+` : formatNumber(count)}
      className={cx(
        "min-w-4 rounded-lg bg-primary px-1 text-center text-[10px] leading-4 font-semibold text-on-primary tabular-nums ring-2 ring-surface before:content-[attr(data-count)]",
        className,
      )}
    />
  );
}
