import { formatNumber } from "@/lib/format";

/** A chart's data as a table. */
export function Figures({ label, head, rows, height }: { label: string; head: string[]; rows: (string | number)[][]; height?: number }) {
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
      tabIndex={0}
      className="overflow-auto rounded-lg border border-line"
      style={{ maxHeight: height ?? 272 }}
    >
      <table className="w-full text-left text-sm tabular-nums">
        <thead className="sticky top-0 bg-sunken text-xs text-muted">
          <tr>
            {head.map((name, at) => (
              <th key={name} scope="col" className={at === 0 ? "px-3 py-2 font-medium" : "px-3 py-2 text-right font-medium"}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...values], at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
            <tr key={at} className="border-t border-hover">
              <th scope="row" className="px-3 py-1.5 font-normal text-body">
                {name}
              </th>
              {values.map((value, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells never move
                <td key={place} className="px-3 py-1.5 text-right">
                  {typeof value === "number" ? formatNumber(value) : value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
