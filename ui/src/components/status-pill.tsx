import type { ReactNode } from "react";
import { type ColourName, namedColour } from "@/lib/colours";
import { cx } from "@/lib/cx";

const tones = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  off: "bg-hover text-soft",
  accent: "bg-tint text-on-tint",
};
const shape =
  "inline-flex max-w-full items-center gap-1.5 rounded-full px-2.25 py-0.5 text-[12.5px] leading-5 font-medium whitespace-nowrap before:size-1.5 before:shrink-0 before:rounded-full";

/** A record's status as a word; the dot only repeats it. */
export function StatusPill({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return <span className={cx(shape, "before:bg-current", tones[tone])}>{children}</span>;
}

/** A status with a colour that the company chose; the colour only repeats the word. */
export function ColourPill({ colour, children }: { colour: ColourName; children: string }) {
  const own = namedColour(colour);
  return (
    <span
      className={cx(shape, "text-body before:bg-(--own)")}
      style={{ "--own": own, background: `color-mix(in oklab, ${own} 16%, var(--surface))` } as object}
    >
      <span dir="auto" className="truncate">
        {children}
      </span>
    </span>
  );
}
