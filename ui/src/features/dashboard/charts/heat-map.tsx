import { useState } from "react";
import { formatNumber } from "@/lib/format";

export interface HeatMapProps {
  label: string;
  /** Names of the rows, top to bottom. */
  rows: string[];
  columns: string[];
  /** Counts by row and column. */
  values: number[][];
  /** Describes a cell in words. */
  describe: (row: number, column: number, value: number) => string;
}

const shades = ["var(--primary-100)", "var(--primary-200)", "var(--primary-300)", "var(--primary-500)", "var(--primary-700)"];

/** Counts by weekday and hour: higher ones are darker. */
export function HeatMap({ label, rows, columns, values, describe }: HeatMapProps) {
  const [told, setTold] = useState<{ row: number; column: number } | undefined>();
  const most = Math.max(1, ...values.flat());
  const shade = (value: number) =>
    value === 0 ? "var(--hover)" : (shades[Math.min(shades.length - 1, Math.floor((value / most) * shades.length))] ?? "");
  return (
    <div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard */}
      <div tabIndex={0} className="-mx-1 overflow-x-auto rounded-md px-1 pb-1">
        <div
          role="img"
          aria-label={label}
          className="grid min-w-140 grid-cols-[2.5rem_repeat(24,minmax(0,1fr))] gap-0.75 text-2xs text-muted"
        >
          {rows.map((row, rowAt) => [
            <span key={row} className="self-center truncate">
              {row}
            </span>,
            ...columns.map((column, columnAt) => {
              const value = values[rowAt]?.[columnAt] ?? 0;
              return (
                <span
                  key={column}
                  onPointerEnter={() => setTold({ row: rowAt, column: columnAt })}
                  onPointerLeave={() => setTold(undefined)}
                  className="h-6 rounded-[5px] hover:outline-2 hover:outline-gray-500"
                  style={{ background: shade(value) }}
                />
              );
            }),
          ])}
          <span />
          {columns.map((column, at) => (
            <span key={column} className="h-4 text-center tabular-nums">
              {at % 3 === 0 ? column : ""}
            </span>
          ))}
        </div>
      </div>
      <div className="mt-3 flex min-h-5 flex-wrap items-center justify-between gap-x-4 gap-y-2 text-sm text-muted">
        <span>{told ? describe(told.row, told.column, values[told.row]?.[told.column] ?? 0) : ""}</span>
        <span aria-hidden className="flex items-center gap-1 text-xs">
          <span className="mr-1">{formatNumber(0)}</span>
          {["var(--hover)", ...shades].map((colour) => (
            <i key={colour} className="size-3 rounded-[3px]" style={{ background: colour }} />
          ))}
          <span className="ml-1">{formatNumber(most)}</span>
        </span>
      </div>
    </div>
  );
}
