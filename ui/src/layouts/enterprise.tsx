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

/** A dark row with the tools, the navigation below it, and the screen as a card in the middle. */
export function EnterpriseLayout(slots: LayoutSlots) {
  return (
    <div className="flex min-h-dvh bg-gray-200" style={{ "--stuck": "-5rem" } as CSSProperties}>
      <SkipLink />
      <div className="flex min-w-0 flex-1 flex-col">
        <TallHeader>
          <div className="dark relative bg-surface text-body">
            <div className="mx-auto flex h-16 max-w-[1440px] items-center gap-2 px-1.5 sm:px-4 md:h-20 md:px-8">
              <MenuButton over={(state) => <TreeOver {...state} slots={slots} />} />
              <Brand company={slots.company} logo={slots.logo} ground="dark" className="max-md:hidden" />
              <Tools tools={slots.tools} />
            </div>
          </div>
          <div className="border-b border-line bg-surface max-md:hidden">
            <div className="mx-auto flex h-16 max-w-[1440px] items-center px-5.5">
              <HorizontalNavigation items={slots.navigation.horizontal} className="flex-1" />
            </div>
          </div>
        </TallHeader>
        <div className="flex flex-1 flex-col sm:p-6 md:p-8 print:!p-0">
          <Content screen={slots.screen} className="mx-auto w-full max-w-[1440px] bg-page sm:overflow-clip sm:rounded-lg sm:shadow-frame" />
        </div>
        <Footer version={slots.version} boxed />
      </div>
      {slots.rail}
    </div>
  );
}
