import { useRef } from "react";

export interface ProgressBarProps {
  label: string;
  /** How far it is, in words. */
  text: string;
  /** From 0 to 1. */
  share: number;
  /** Whether the label is visible, too. */
  showsLabel?: boolean;
}

/** Screen readers announce every tenth only. */
const announcedTenths = (share: number) => Math.floor(share * 10);

/** How far a task is. It says so to screen readers from time to time. */
export function ProgressBar({ label, text, share, showsLabel }: ProgressBarProps) {
  const announced = useRef({ tenths: -1, text: "" });
  const tenths = announcedTenths(share);
  if (announced.current.tenths !== tenths) announced.current = { tenths, text };
  const percent = Math.round(Math.min(Math.max(share, 0), 1) * 100);
  return (
    <div>
      {showsLabel && (
        <p aria-hidden className="mb-2 font-medium text-ink [overflow-wrap:anywhere]">
          {label}
        </p>
      )}
      <div
        role="progressbar"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text}
        className="h-2 overflow-hidden rounded-full bg-hover"
      >
        <div className="h-full rounded-full bg-primary transition-[width] duration-200" style={{ width: `${percent}%` }} />
      </div>
      <p aria-hidden className="mt-1.5 text-sm text-muted tabular-nums">
        {text}
      </p>
      <p role="status" className="sr-only">
        {`${label}: ${announced.current.text}`}
      </p>
    </div>
  );
}
