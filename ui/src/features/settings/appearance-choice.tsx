import { Check } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "@/lib/cx";
import type { Scheme } from "@/theme/schemes";

/** A small drawing of a scheme: a head, a button and a few shades. */
export function SchemeDrawing({ scheme }: { scheme: Scheme }) {
  return (
    <span aria-hidden className={`theme-${scheme} block overflow-hidden rounded-lg border border-line bg-gray-50`}>
      <span className="block h-3" style={{ background: "var(--solid)" }} />
      <span className="flex items-center gap-1 p-1.5">
        <i className="h-2.5 w-6 rounded-full" style={{ background: "var(--primary-200)" }} />
        <i className="h-2.5 w-3 rounded-full" style={{ background: "var(--primary-400)" }} />
        <i className="ml-auto h-3 w-5 rounded-[4px]" style={{ background: "var(--action)" }} />
      </span>
    </span>
  );
}

export interface AppearanceChoiceProps {
  id: string;
  group: string;
  label: string;
  /** A second line below the name. */
  note?: string;
  checked: boolean;
  onChoose: () => void;
  /** The drawing above the name. */
  children: ReactNode;
}

/** One of the drawings to choose from: a radio button. */
export function AppearanceChoice({ id, group, label, note, checked, onChoose, children }: AppearanceChoiceProps) {
  return (
    <label
      className={cx(
        "relative block min-w-0 rounded-xl border-2 p-1.5 transition-colors duration-150 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-primary",
        checked ? "border-primary" : "border-line hover:border-line-strong",
      )}
    >
      <input
        id={id}
        type="radio"
        name={group}
        checked={checked}
        onChange={onChoose}
        className="absolute inset-0 m-0 appearance-none opacity-0"
      />
      {children}
      <span className="mt-1.5 flex min-h-5 items-start justify-between gap-1 px-0.5 text-sm font-medium text-ink max-[359px]:text-xs">
        <span className="min-w-0 hyphens-auto">
          {label}
          {note && <span className="block text-xs font-normal text-muted">{note}</span>}
        </span>
        {checked && <Check aria-hidden size={16} className="mt-0.5 text-accent" />}
      </span>
    </label>
  );
}
