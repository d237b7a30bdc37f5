import { useState } from "react";
import { formatNumber } from "@/lib/format";
import { labelEvery, ticks } from "./scale";
import { Legend, type Series, Tip } from "./tip";
import { useWidth } from "./use-width";

export interface BarsProps {
  label: string;
  /** The label under each group. */
  names: string[];
  /** The full label, for the tooltip. */
  titles: string[];
  series: Series[];
  height?: number;
  /** Pixels per label. */
  nameWidth?: number;
}

/** A bar chart with one group for each day or week. */
export function Bars({ label, names, titles, series, height = 240, nameWidth = 30 }: BarsProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const [at, setAt] = useState<number | undefined>();
  const steps = ticks(Math.max(0, ...series.flatMap((one) => one.values)));
  const top = steps.at(-1) ?? 1;
  const left = 12 + 7 * formatNumber(top).length;
  const bottom = 26;
  const inner = Math.max(0, width - left);
  const y = (value: number) => 8 + (height - bottom - 8) * (1 - value / top);
  const group = names.length > 0 ? inner / names.length : 0;
  const bar = Math.max(1.5, Math.min(12, (group * 0.62 - 3 * (series.length - 1)) / series.length));
  const gap = bar < 5 ? 1 : 3;
  const block = bar * series.length + gap * (series.length - 1);
  const every = labelEvery(names.length, inner, nameWidth);
  return (
    <div ref={ref} className="relative">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        className="block max-w-full print:h-auto"
        onPointerLeave={() => setAt(undefined)}
        onPointerMove={(event) => {
          const x = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
          const index = Math.floor(x / group);
          setAt(index >= 0 && index < names.length ? index : undefined);
        }}
      >
        {steps.map((step) => (
          <g key={step}>
            <line x1={left} x2={width} y1={y(step)} y2={y(step)} className="stroke-hover" />
            <text x={left - 10} y={y(step) + 4} textAnchor="end" className="fill-muted text-2xs tabular-nums">
              {formatNumber(step)}
            </text>
          </g>
        ))}
        {at !== undefined && (
          <rect x={left + at * group} y={4} width={group} height={height - bottom - 4} rx={6} className="fill-hover/70" />
        )}
        {names.map((name, index) => {
          const middle = left + (index + 0.5) * group;
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a group is identified by its index
            <g key={index}>
              {series.map((one, place) => {
                const value = one.values[index] ?? 0;
                const high = y(0) - y(value);
                return value > 0 ? (
                  <rect
                    key={one.label}
                    x={middle - block / 2 + place * (bar + gap)}
                    y={y(value)}
                    width={bar}
                    height={Math.max(2, high)}
                    rx={Math.min(3.5, bar / 2)}
                    fill={one.colour}
                  />
                ) : null;
              })}
              {index % every === 0 && (
                <text x={middle} y={height - 6} textAnchor="middle" className="fill-muted text-2xs tabular-nums">
                  {name}
                </text>
              )}
            </g>
          );
        })}
      </svg>
      {at !== undefined && <Tip x={left + (at + 0.5) * group} width={width} title={titles[at] ?? ""} series={series} at={at} />}
      <Legend series={series} />
    </div>
  );
}
