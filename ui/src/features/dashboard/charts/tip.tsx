import { formatNumber } from "@/lib/format";

export interface Series {
  label: string;
  /** A custom property of the scheme, for example `var(--primary-600)`. */
  colour: string;
  values: number[];
}

/** The tooltip at the pointer; the table has the same data for all other users. */
export function Tip({ x, width, title, series, at }: { x: number; width: number; title: string; series: Series[]; at: number }) {
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-0 z-1 min-w-32 -translate-x-1/2 rounded-lg bg-gray-900 px-3 py-2 text-xs text-white shadow-panel"
      style={{ left: Math.min(Math.max(x, 72), width - 72) }}
    >
      <p className="mb-1 font-semibold whitespace-nowrap">{title}</p>
      {series.map((one) => (
        <p key={one.label} className="flex items-center gap-2 whitespace-nowrap text-gray-200">
          <i className="size-2 rounded-[3px]" style={{ background: one.colour }} />
          <span className="flex-1">{one.label}</span>
          <b className="font-semibold text-white tabular-nums">{formatNumber(one.values[at] ?? 0)}</b>
        </p>
      ))}
    </div>
  );
}

/** The legend of the series. */
export function Legend({ series }: { series: Series[] }) {
  return (
    <ul className="mt-2.5 flex flex-wrap gap-x-4.5 gap-y-1 text-sm text-soft">
      {series.map((one) => (
        <li key={one.label} className="flex items-center gap-1.75">
          <i className="size-2.5 rounded-[3px]" style={{ background: one.colour }} />
          {one.label}
        </li>
      ))}
    </ul>
  );
}
