import { useState } from "react";
import { cx } from "@/lib/cx";
import type { LayoutSlots } from "../slots";
import { Brand } from "./brand";
import { VerticalNavigation } from "./vertical-navigation";

/** Icons that widen to full rows over the page while the pointer or the focus is in the column. */
export function DenseColumn({ slots, dense }: { slots: LayoutSlots; dense: boolean }) {
  const [pointed, setPointed] = useState(false);
  const [within, setWithin] = useState(false);
  const widened = !dense || pointed || within;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only tracks pointer and focus
    <div
      onPointerEnter={(event) => event.pointerType === "mouse" && setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocus={(event) => event.target.matches(":focus-visible") && setWithin(true)}
      onBlur={(event) => !event.currentTarget.contains(event.relatedTarget) && setWithin(false)}
      data-widened={widened || undefined}
      className={cx(
        "absolute inset-y-0 left-0 flex flex-col overflow-hidden bg-surface transition-[width,box-shadow] duration-200 ease-out",
        widened ? "w-70" : "w-20",
        dense && widened && "shadow-panel",
      )}
    >
      <div className="flex h-20 shrink-0 items-center pl-6.25">
        <Brand company={slots.company} logo={slots.logo} ground="dark" words={widened ? "always" : "never"} />
      </div>
      <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto px-3 pb-6 [scrollbar-width:none]">
        <VerticalNavigation items={slots.navigation.default} appearance="dense" widened={widened} />
      </div>
    </div>
  );
}
