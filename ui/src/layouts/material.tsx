import type { CSSProperties } from "react";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { Brand } from "./parts/brand";
import { Content, SkipLink } from "./parts/content";
import { Footer } from "./parts/footer";
import { TallHeader } from "./parts/header";
import { HorizontalNavigation } from "./parts/horizontal-navigation";
import { MenuButton } from "./parts/menu-button";
import { Tools } from "./parts/tools";
import type { LayoutSlots } from "./slots";

const TreeOver = lazyOnIdle(() => import("./parts/tree-over"));

/** A card on a band of the scheme, joined to the screen. It has no rail, so the chat button stays at every width. */
export function MaterialLayout(slots: LayoutSlots) {
  return (
    <div className="relative min-h-dvh bg-gray-200" style={{ "--stuck": "-4rem" } as CSSProperties}>
      <SkipLink />
      <div aria-hidden className="no-print absolute inset-x-0 top-0 h-24 bg-primary-700 max-sm:hidden md:h-44" />
      <div className="relative mx-auto min-h-dvh max-w-[1504px] sm:px-8 sm:pt-8 md:pt-12 print:!p-0">
        <div className="flex min-h-dvh flex-col sm:min-h-[calc(100dvh-2rem)] sm:rounded-t-xl sm:shadow-frame md:min-h-[calc(100dvh-3rem)]">
          <TallHeader className="bg-surface sm:rounded-t-xl">
            <div className="relative flex h-16 items-center gap-2 border-b border-line px-1.5 sm:px-4 md:px-6">
              <MenuButton over={(state) => <TreeOver {...state} slots={slots} />} />
              <Brand company={slots.company} logo={slots.logo} className="max-md:hidden" />
              <Tools tools={slots.tools} chat="always" />
            </div>
            <div className="flex h-16 items-center border-b border-line px-3.5 max-md:hidden">
              <HorizontalNavigation items={slots.navigation.horizontal} className="flex-1" />
            </div>
          </TallHeader>
          <Content screen={slots.screen} className="bg-page" />
          <Footer version={slots.version} />
        </div>
      </div>
    </div>
  );
}
