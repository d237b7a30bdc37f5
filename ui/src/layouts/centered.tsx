import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { Brand } from "./parts/brand";
import { Content, SkipLink } from "./parts/content";
import { Footer } from "./parts/footer";
import { Header } from "./parts/header";
import { HorizontalNavigation } from "./parts/horizontal-navigation";
import { MenuButton } from "./parts/menu-button";
import { Tools } from "./parts/tools";
import type { LayoutSlots } from "./slots";

const TreeOver = lazyOnIdle(() => import("./parts/tree-over"));

/** A frame in the middle. It has no rail, so the chat button stays at every width. */
export function CenteredLayout(slots: LayoutSlots) {
  return (
    <div className="min-h-dvh bg-gray-200 sm:p-4 md:p-8 print:!p-0">
      <SkipLink />
      <div className="mx-auto flex min-h-dvh max-w-[1440px] flex-col overflow-clip bg-page sm:min-h-[calc(100dvh-2rem)] sm:rounded-xl sm:shadow-frame md:min-h-[calc(100dvh-4rem)]">
        <Header className="md:gap-5">
          <MenuButton over={(state) => <TreeOver {...state} slots={slots} />} />
          <Brand company={slots.company} logo={slots.logo} words="lg" className="max-sm:hidden lg:shrink-0" />
          <HorizontalNavigation items={slots.navigation.horizontal} className="flex-1 max-md:hidden" />
          <Tools tools={slots.tools} chat="always" />
        </Header>
        <Content screen={slots.screen} />
        <Footer version={slots.version} />
      </div>
    </div>
  );
}
