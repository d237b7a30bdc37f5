import type { ReactNode } from "react";
import { cx } from "@/lib/cx";

const tones = {
  ok: "bg-ok-soft text-ok",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  off: "bg-hover text-soft",
  accent: "bg-tint text-on-tint",
};

/** A record's status as a word; the dot only repeats it. */
export function StatusPill({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={cx(
        "inline-flex items-center gap-1.5 rounded-full px-2.25 py-0.5 text-[12.5px] leading-5 font-medium whitespace-nowrap before:size-1.5 before:rounded-full before:bg-current",
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
