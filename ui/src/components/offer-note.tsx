import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "@/components/button";

export interface OfferNoteProps {
  icon: LucideIcon;
  /** The text of the offer. */
  children: ReactNode;
  decline: string;
  onDecline: () => void;
  accept: string;
  onAccept: () => void;
  busy?: boolean;
}

/** A dark banner at the bottom of the screen with an offer to accept or decline. */
export function OfferNote({ icon: Drawn, children, decline, onDecline, accept, onAccept, busy }: OfferNoteProps) {
  return (
    <div className="pointer-events-auto flex max-w-full flex-wrap items-center gap-x-5 gap-y-2 rounded-xl bg-gray-900 py-2.5 pr-2.5 pl-4 text-white shadow-panel animate-enter">
      <div className="flex min-w-0 items-center gap-2.5">
        <Drawn aria-hidden size={18} className="text-primary-300" />
        {children}
      </div>
      <span className="flex gap-2 max-sm:w-full">
        <Button
          size="sm"
          variant="ghost"
          className="max-sm:flex-1 !text-gray-200 hover:!bg-white/10 focus-visible:outline-white"
          onClick={onDecline}
        >
          {decline}
        </Button>
        <Button size="sm" variant="primary" busy={busy ?? false} className="max-sm:flex-1 focus-visible:outline-white" onClick={onAccept}>
          {accept}
        </Button>
      </span>
    </div>
  );
}
