import type { ReactNode } from "react";
import type { LayoutName } from "@/lib/layout";

/** Dashes that stand for lines of text or navigation. */
function Rows({ x, y, widths, step = 5, className }: { x: number; y: number; widths: number[]; step?: number; className: string }) {
  return widths.map((width, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a drawing never changes
    <rect key={at} x={x} y={y + at * step} width={width} height={2} rx={1} className={className} />
  ));
}

/** A screen: its title, two figures and a list. */
function Screen({ x, y, width, height }: { x: number; y: number; width: number; height: number }) {
  const half = (width - 3) / 2;
  return (
    <>
      <rect x={x} y={y} width={width * 0.4} height={3} rx={1.5} className="fill-gray-400" />
      <rect x={x} y={y + 6} width={half} height={10} rx={2} className="fill-surface stroke-line" strokeWidth={0.6} />
      <rect x={x + 2} y={y + 9} width={half * 0.4} height={3} rx={1} className="fill-primary" />
      <rect x={x + half + 3} y={y + 6} width={half} height={10} rx={2} className="fill-surface stroke-line" strokeWidth={0.6} />
      <rect x={x} y={y + 19} width={width} height={height - 19} rx={2} className="fill-surface stroke-line" strokeWidth={0.6} />
    </>
  );
}

/** The header's tools at its right end. */
function Tools({ right, y, className = "fill-gray-300", count = 4 }: { right: number; y: number; className?: string; count?: number }) {
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a drawing never changes
    <circle key={at} cx={right - 3 - at * 4.5} cy={y} r={1.3} className={className} />
  ));
}

/** A horizontal navigation. */
function Bar({ x, y }: { x: number; y: number }) {
  return (
    <>
      <rect x={x} y={y - 1} width={8} height={2} rx={1} className="fill-primary" />
      <rect x={x + 11} y={y - 1} width={7} height={2} rx={1} className="fill-gray-300" />
      <rect x={x + 21} y={y - 1} width={8} height={2} rx={1} className="fill-gray-300" />
    </>
  );
}

/** A column at the side, with the header, the screen and the footer beside it. */
function Beside({ width, column, children, tools }: { width: number; column: string; children: ReactNode; tools?: number }) {
  return (
    <>
      <rect x={width} width={96 - width} height={9} className="fill-surface" />
      <rect x={width} y={9} width={96 - width} height={0.6} className="fill-line" />
      <rect x={width} y={58} width={96 - width} height={6} className="fill-surface" />
      <Tools right={94} y={4.5} count={tools ?? 4} />
      <Screen x={width + 5} y={13} width={86 - width} height={41} />
      <rect width={width} height={64} className={column} />
      {children}
    </>
  );
}

const dark = "fill-gray-900";
const faint = "fill-gray-600";
const here = "fill-primary-400";

/** The current item in a column of rows. */
function Here({ y, width = 18 }: { y: number; width?: number }) {
  return (
    <>
      <rect x={2} y={y - 2.5} width={width} height={7} rx={1.5} className="fill-white/12" />
      <rect x={5} y={y} width={9} height={2} rx={1} className={here} />
    </>
  );
}

function Icons({
  x,
  y,
  count,
  step,
  size,
  className,
}: {
  x: number;
  y: number;
  count: number;
  step: number;
  size: number;
  className: string;
}) {
  return Array.from({ length: count }, (_, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a drawing never changes
    <rect key={at} x={x} y={y + at * step} width={size} height={size} rx={1} className={at === 1 ? here : className} />
  ));
}

const drawings: Record<LayoutName, ReactNode> = {
  empty: <Screen x={8} y={7} width={80} height={50} />,
  classic: (
    <Beside width={22} column={dark}>
      <rect x={5} y={4} width={10} height={3} rx={1.5} className="fill-gray-400" />
      <Rows x={5} y={15} widths={[11, 8]} step={6} className={faint} />
      <Here y={27} />
      <Rows x={5} y={34} widths={[12, 7, 10]} step={6} className={faint} />
    </Beside>
  ),
  classy: (
    <Beside width={22} column={dark} tools={3}>
      <circle cx={11} cy={11} r={5.5} className="fill-primary-300" />
      <Rows x={6} y={20} widths={[10]} className="fill-gray-400" />
      <Rows x={4} y={24} widths={[14]} className={faint} />
      <Here y={35} />
      <Rows x={5} y={43} widths={[12, 7, 10]} step={6} className={faint} />
    </Beside>
  ),
  compact: (
    <Beside width={15} column={dark}>
      <rect x={5} y={3} width={5} height={5} rx={1.5} className="fill-primary-400" />
      {[14, 26, 38, 50].map((y, at) => (
        <g key={y}>
          {at === 1 && <rect x={1.5} y={y - 2.5} width={12} height={11} rx={1.5} className="fill-white/12" />}
          <rect x={5.25} y={y} width={4.5} height={4} rx={1} className={at === 1 ? here : faint} />
          <rect x={4} y={y + 5.5} width={7} height={1.4} rx={0.7} className={faint} />
        </g>
      ))}
    </Beside>
  ),
  dense: (
    <Beside width={9} column={dark}>
      <rect x={2.5} y={3} width={4} height={4} rx={1.2} className="fill-primary-400" />
      <Icons x={3} y={13} count={6} step={7} size={3} className={faint} />
      <path d="M13 4.5h6m-1.6-1.6 1.6 1.6-1.6 1.6M14.6 2.9 13 4.5l1.6 1.6" fill="none" strokeWidth={0.8} className="stroke-gray-400" />
    </Beside>
  ),
  futuristic: (
    <Beside width={22} column="fill-primary-800" tools={3}>
      <rect x={5} y={4} width={10} height={3} rx={1.5} className="fill-white/80" />
      <Rows x={5} y={15} widths={[11, 8]} step={6} className="fill-white/40" />
      <rect x={2} y={24.5} width={18} height={7} rx={1.5} className="fill-white/15" />
      <Rows x={5} y={27} widths={[9]} className="fill-white" />
      <Rows x={5} y={34} widths={[12, 7]} step={6} className="fill-white/40" />
      <rect x={0} y={49} width={22} height={0.6} className="fill-white/30" />
      <circle cx={6} cy={56.5} r={3} className="fill-white/80" />
      <rect x={11} y={55.5} width={8} height={2} rx={1} className="fill-white/60" />
    </Beside>
  ),
  thin: (
    <Beside width={9} column="fill-surface">
      <rect x={9} width={0.6} height={64} className="fill-line" />
      <rect x={2.5} y={3} width={4} height={4} rx={1.2} className="fill-primary" />
      {[13, 24, 35, 46].map((y, at) => (
        <rect key={y} x={2.5} y={y} width={4} height={4} rx={1} className={at === 1 ? "fill-primary" : "fill-gray-300"} />
      ))}
    </Beside>
  ),
  centered: (
    <>
      <rect width={96} height={64} className="fill-gray-300" />
      <rect x={8} y={5} width={80} height={54} rx={2.5} className="fill-page" />
      <path d="M8 15V7.5a2.5 2.5 0 0 1 2.5-2.5h75a2.5 2.5 0 0 1 2.5 2.5V15z" className="fill-surface" />
      <rect x={8} y={15} width={80} height={0.6} className="fill-line" />
      <rect x={12} y={8.5} width={3.5} height={3.5} rx={1} className="fill-primary" />
      <Bar x={19} y={10.2} />
      <Tools right={86} y={10.2} />
      <Screen x={13} y={19} width={70} height={35} />
    </>
  ),
  enterprise: (
    <>
      <rect width={96} height={64} className="fill-gray-200" />
      <rect width={96} height={8} className={dark} />
      <rect x={10} y={2.5} width={11} height={3} rx={1.5} className="fill-gray-300" />
      <Tools right={88} y={4} className="fill-gray-500" />
      <rect y={8} width={96} height={8} className="fill-surface" />
      <Bar x={10} y={12} />
      <rect x={8} y={20} width={80} height={36} rx={2.5} className="fill-page stroke-line" strokeWidth={0.6} />
      <Screen x={12} y={24} width={72} height={28} />
      <rect y={59} width={96} height={5} className="fill-surface" />
    </>
  ),
  material: (
    <>
      <rect width={96} height={64} className="fill-gray-200" />
      <rect width={96} height={20} className="fill-primary-700" />
      <path d="M8 64V8.5A2.5 2.5 0 0 1 10.5 6h75A2.5 2.5 0 0 1 88 8.5V64z" className="fill-page" />
      <path d="M8 22V8.5A2.5 2.5 0 0 1 10.5 6h75A2.5 2.5 0 0 1 88 8.5V22z" className="fill-surface" />
      <rect x={12} y={8.5} width={11} height={3} rx={1.5} className="fill-gray-400" />
      <Tools right={86} y={10} />
      <rect x={8} y={14} width={80} height={0.6} className="fill-line" />
      <Bar x={12} y={18.2} />
      <Screen x={12} y={26} width={72} height={34} />
    </>
  ),
  modern: (
    <>
      <rect width={96} height={10} className="fill-surface" />
      <rect y={10} width={96} height={0.6} className="fill-line" />
      <rect x={5} y={3.2} width={3.5} height={3.5} rx={1} className="fill-primary" />
      <Bar x={13} y={5} />
      <Tools right={93} y={5} />
      <Screen x={8} y={15} width={80} height={39} />
      <rect y={58} width={96} height={6} className="fill-surface" />
    </>
  ),
};

/** A small drawing of a layout, in the current colours. */
export function LayoutDrawing({ layout }: { layout: LayoutName }) {
  return (
    <svg aria-hidden viewBox="0 0 96 64" className="block w-full rounded-lg border border-line bg-page">
      {drawings[layout]}
    </svg>
  );
}
