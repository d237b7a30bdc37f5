import { ArrowRight, type LucideIcon, TrendingDown, TrendingUp } from "lucide-react";
import { Link } from "react-router";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";

export interface Comparison {
  /** "2 fewer", "18%", "no change" */
  change: string;
  /** "than last week" */
  against: string;
  direction: "up" | "down" | "same";
  verdict: "good" | "bad" | "neutral";
}

const colours = { good: "text-ok", bad: "text-bad", neutral: "text-soft" };
const arrows = { up: TrendingUp, down: TrendingDown, same: ArrowRight };

/** One number with its comparison. */
export function StatCard({
  title,
  value,
  icon: Icon,
  comparison,
  note,
  to,
}: {
  title: string;
  value: number;
  icon: LucideIcon;
  /** The comparison with an earlier period, if there is one. */
  comparison?: Comparison;
  /** An additional remark. */
  note?: string;
  to: string;
}) {
  const Arrow = comparison && arrows[comparison.direction];
  return (
    <section className="relative min-w-0 rounded-2xl border border-line bg-surface p-5 shadow-card transition-shadow duration-150 hover:shadow-[0_2px_8px_rgb(16_24_40/.06)] max-sm:p-4">
      <header className="flex items-center justify-between gap-2">
        <h2 className="min-w-0 text-sm font-medium text-muted">
          <Link
            to={to}
            className="outline-none after:absolute after:inset-0 after:rounded-2xl after:content-[''] focus-visible:after:outline-2 focus-visible:after:outline-primary"
          >
            {title}
          </Link>
        </h2>
        <span className="grid size-7.5 shrink-0 place-items-center rounded-[9px] bg-tint text-on-tint">
          <Icon aria-hidden size={16} />
        </span>
      </header>
      <p className="mt-2 mb-1 text-3xl font-[660] tracking-[-.03em] text-ink tabular-nums">{formatNumber(value)}</p>
      <p className="text-sm text-muted">
        {note}
        {comparison && Arrow && (
          <>
            <span className={cx("font-semibold", colours[comparison.verdict])}>
              <Arrow aria-hidden size={14} className="mr-1 inline-block align-[-2px]" />
              {comparison.change}
            </span>{" "}
            {comparison.against}
          </>
        )}
      </p>
    </section>
  );
}
