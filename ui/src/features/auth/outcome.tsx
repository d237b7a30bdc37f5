import type { LucideIcon } from "lucide-react";
import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "@/lib/cx";
import { useTitle } from "@/shell/use-title";
import { Split } from "./split";

export interface OutcomeProps {
  icon: LucideIcon;
  tone?: "good" | "calm" | "bad";
  title: string;
  children: ReactNode;
}

/** A result in place of the form; announced to screen readers. */
export function Outcome({ icon: Icon, tone = "calm", title, children }: OutcomeProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useTitle(title);
  useEffect(() => head.current?.focus(), []);
  return (
    <Split>
      <span
        className={cx(
          "mt-9 grid size-13 place-items-center rounded-full",
          { good: "bg-ok-soft text-ok", calm: "bg-tint text-on-tint", bad: "bg-warn-soft text-warn" }[tone],
        )}
      >
        <Icon aria-hidden size={26} />
      </span>
      <h1
        ref={head}
        tabIndex={-1}
        className="mt-5 text-2xl font-title tracking-[-.022em] text-balance text-ink outline-none [overflow-wrap:anywhere]"
      >
        {title}
      </h1>
      {children}
    </Split>
  );
}

/** The text of a result. */
export function OutcomeText({ children }: { children: ReactNode }) {
  return <p className="mt-2 text-soft [overflow-wrap:anywhere]">{children}</p>;
}
