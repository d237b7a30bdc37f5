import type { ReactNode } from "react";
import type { LayoutSlots } from "../slots";
import { Brand } from "./brand";
import type { ColumnState } from "./side-page";

export interface TreeColumnProps {
  slots: LayoutSlots;
  state: ColumnState;
  ground?: "light" | "dark";
  /** A narrow column shows only the company's mark. */
  narrow?: boolean;
  children: ReactNode;
  /** The content below the tree. */
  foot?: ReactNode;
}

/**
 * A column with the company, the scrolling tree and the content below. Over the page, the company is beside the close
 * button.
 */
export function TreeColumn({ slots, state, ground = "dark", narrow = false, children, foot }: TreeColumnProps) {
  return (
    <>
      {!state.over && (
        <div className={narrow ? "flex h-20 shrink-0 items-center justify-center" : "flex h-20 shrink-0 items-center px-6"}>
          <Brand company={slots.company} logo={slots.logo} ground={ground} words={narrow ? "never" : "always"} />
        </div>
      )}
      <div
        className={
          narrow
            ? "min-h-0 flex-1 overflow-y-auto px-2 pb-4 [scrollbar-width:thin]"
            : "min-h-0 flex-1 overflow-y-auto px-3 pb-6 [scrollbar-width:thin]"
        }
      >
        {children}
      </div>
      {foot}
    </>
  );
}
