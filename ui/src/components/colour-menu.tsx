import { ChevronDown } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { Dialog } from "react-aria-components/Dialog";
import { useTranslation } from "react-i18next";
import type { ColourName } from "@/lib/colours";
import { ColourChoice } from "./colour-choice";
import { ColourDot } from "./colour-dot";
import { Popover } from "./popover";

export interface ColourMenuProps {
  /** Whose colour it is. */
  label: string;
  value: ColourName | undefined;
  /** Called once, when the list closes. */
  onChange: (value: ColourName | undefined) => void;
  /** The name of the choice of no colour; without it, there is always one. */
  none?: string;
}

/** A button that shows a colour, and the colours to choose from. */
export function ColourMenu({ label, value, onChange, none }: ColourMenuProps) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  const trigger = useRef<HTMLButtonElement>(null);
  const [chosen, setChosen] = useState<ColourName | "">();
  const latest = useRef<ColourName | "">("");
  const shown = chosen === undefined ? value : chosen || undefined;
  const choose = (colour: ColourName | "") => {
    latest.current = colour;
    setChosen(colour);
  };
  const close = () => {
    setChosen(undefined);
    if (latest.current !== (value ?? "")) onChange(latest.current || undefined);
  };
  const isOpen = chosen !== undefined;
  // Once the popover has its place: before, the browser would scroll to where it is not.
  useEffect(() => {
    if (!isOpen) return;
    const frame = requestAnimationFrame(() => {
      const inputs = box.current;
      (inputs?.querySelector<HTMLElement>("input:checked") ?? inputs?.querySelector("input"))?.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [isOpen]);
  const name = shown ? t(`ui.events.colors.${shown}`) : (none ?? "");
  return (
    <>
      <button
        ref={trigger}
        type="button"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        aria-label={`${label}: ${name}`}
        title={name}
        onClick={() => choose(value ?? "")}
        className="touchable inline-flex h-10.5 shrink-0 items-center gap-1.5 rounded-control border border-line-strong bg-surface px-2.5 shadow-control hover:border-gray-400"
      >
        <ColourDot colour={shown} />
        <ChevronDown aria-hidden size={14} className="text-muted" />
      </button>
      <Popover triggerRef={trigger} isOpen={isOpen} onOpenChange={close} placement="bottom start" className={none ? "w-64" : "w-54"}>
        <Dialog aria-label={label} className="outline-none">
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the radio buttons inside have the focus */}
          <div
            ref={box}
            className="p-4"
            // A key presses a choice without a pointer's clicks, and leaves the list open. The choice itself comes first.
            onClick={({ target, detail }) => {
              if (target instanceof HTMLInputElement && detail > 0) setTimeout(close);
            }}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              close();
            }}
          >
            <ColourChoice
              label={label}
              hideLabel
              value={chosen ?? ""}
              onChange={choose}
              none={none ? { label: none, colour: "transparent" } : undefined}
            />
          </div>
        </Dialog>
      </Popover>
    </>
  );
}
