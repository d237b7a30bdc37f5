import { useId, useState } from "react";
import { formatNumber } from "@/lib/format";
import { labelEvery, ticks } from "./scale";
import { type Series, Tip } from "./tip";
import { useWidth } from "./use-width";

export interface AreaProps {
  label: string;
  names: string[];
  titles: string[];
  series: Series;
  height?: number;
  nameWidth?: number;
}

/** An area chart over time. The scale starts at 0, so that small growth does not look large. */
export function Area({ label, names, titles, series, height = 260, nameWidth = 72 }: AreaProps) {
  const { ref, width } = useWidth<HTMLDivElement>();
  const fade = useId();
  const [at, setAt] = useState<number | undefined>();
  const { values } = series;
  const steps = ticks(Math.max(0, ...values));
  const top = steps.at(-1) ?? 1;
  const left = 12 + 7 * formatNumber(top).length;
  const bottom = 26;
  const inner = Math.max(0, width - left - 8);
  const x = (index: number) => left + (values.length > 1 ? (index / (values.length - 1)) * inner : inner / 2);
  const y = (value: number) => 8 + (height - bottom - 8) * (1 - value / top);
  const line = values.map((value, index) => `${index === 0 ? "M" : "L"}${x(index).toFixed(1)},${y(value).toFixed(1)}`).join("");
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
          const place = event.clientX - event.currentTarget.getBoundingClientRect().left - left;
          setAt(Math.min(values.length - 1, Math.max(0, Math.round((place / Math.max(inner, 1)) * (values.length - 1)))));
        }}
      >
        <defs>
          <linearGradient id={fade} x1="0" x2="0" y1="0" y2="1">
            <stop offset="0" stopColor={series.colour} stopOpacity={0.22} />
            <stop offset="1" stopColor={series.colour} stopOpacity={0} />
          </linearGradient>
        </defs>
        {steps.map((step) => (
          <g key={step}>
            <line x1={left} x2={width} y1={y(step)} y2={y(step)} className="stroke-hover" />
            <text x={left - 10} y={y(step) + 4} textAnchor="end" className="fill-muted text-2xs tabular-nums">
              {formatNumber(step)}
            </text>
          </g>
        ))}
        {values.length > 0 && width > 0 && (
          <>
            <path d={`${line}L${x(values.length - 1)},${y(0)}L${x(0)},${y(0)}Z`} fill={`url(#${fade})`} />
            <path d={line} fill="none" stroke={series.colour} strokeWidth={2} strokeLinejoin="round" strokeLinecap="round" />
          </>
        )}
        {names.map((name, index) =>
          index % every === 0 ? (
            <text
              // biome-ignore lint/suspicious/noArrayIndexKey: a name is identified by its index
              key={index}
              x={x(index)}
              y={height - 6}
              textAnchor={x(index) > width - 24 ? "end" : "middle"}
              className="fill-muted text-2xs tabular-nums"
            >
              {name}
            </text>
          ) : null,
        )}
        {at !== undefined && values[at] !== undefined && (
          <>
            <line x1={x(at)} x2={x(at)} y1={8} y2={y(0)} className="stroke-line-strong" strokeDasharray="3 3" />
            <circle cx={x(at)} cy={y(values[at] ?? 0)} r={4.5} fill={series.colour} className="stroke-surface" strokeWidth={2} />
          </>
        )}
      </svg>
      {at !== undefined && <Tip x={x(at)} width={width} title={titles[at] ?? ""} series={[series]} at={at} />}
    </div>
  );
}
