import type { CSSProperties, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useAtLeast } from "@/lib/media";
import type { LayoutSlots, ToolName } from "../slots";
import { useColumn } from "./column";
import { Content, SkipLink } from "./content";
import { Footer } from "./footer";
import { Header } from "./header";
import { MenuButton } from "./menu-button";
import { type Tone, tones } from "./tone";
import { Tools } from "./tools";

const SlideOver = lazyOnIdle(() => import("./slide-over"));

/** How the column is shown: beside the page, or over it on a small screen. */
export interface ColumnState {
  over: boolean;
  onFollow?: () => void;
}

export interface SidePageProps {
  slots: LayoutSlots;
  tone?: Tone;
  /** The column's width in pixels; over the page it may be wider and darker. */
  width: number;
  overWidth?: number;
  overTone?: Tone;
  /** The head of the column over the page, beside the close button. */
  overHead?: ReactNode;
  column: (state: ColumnState) => ReactNode;
  /** The header's content after the menu button. */
  start?: ReactNode;
  without?: ToolName[];
}

/** The page of layouts with a column at the side. */
export function SidePage({
  slots,
  tone = "dark",
  width,
  overWidth = width,
  overTone = tone,
  overHead,
  column,
  start,
  without,
}: SidePageProps) {
  const roomy = useAtLeast("md");
  const hidden = useColumn((state) => state.hidden);
  return (
    <div className="flex min-h-dvh bg-page">
      <SkipLink />
      {roomy && (
        <div
          id="navigation"
          className={cx(
            "no-print sticky top-0 z-[200] flex h-dvh shrink-0 flex-col bg-surface text-body transition-[margin,width,visibility] duration-200 ease-out",
            tone === "light" && "border-r border-line",
            tones[tone],
            hidden && "invisible",
          )}
          style={{ width, marginLeft: hidden ? -width : 0, "--column": `${width}px` } as CSSProperties}
        >
          {column({ over: false })}
        </div>
      )}
      <div className="flex min-w-0 flex-1 flex-col">
        <Header>
          <MenuButton
            beside
            over={(state) => (
              <SlideOver {...state} width={overWidth} tone={overTone} head={overHead}>
                {column({ over: true, onFollow: () => state.onOpenChange(false) })}
              </SlideOver>
            )}
          />
          {start}
          <Tools tools={slots.tools} {...(without && { without })} />
        </Header>
        <Content screen={slots.screen} />
        <Footer version={slots.version} />
      </div>
      {slots.rail}
    </div>
  );
}
