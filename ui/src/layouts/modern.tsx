import { Brand } from "./parts/brand";
import { Content, SkipLink } from "./parts/content";
import { HorizontalNavigation } from "./parts/horizontal-navigation";
import { MenuButton } from "./parts/menu-button";
import { Tools } from "./parts/tools";
import type { LayoutSlots } from "./slots";

/** Header over the full width with the navigation beside the logo; content without a box. */
export function ModernLayout({ company, logo, navigation, tools, content, footer }: LayoutSlots) {
  return (
    <div className="flex min-h-dvh flex-col bg-page">
      <SkipLink />
      <header className="no-print sticky top-0 z-[49] flex h-16 shrink-0 items-center gap-2 border-b border-line bg-surface px-1.5 sm:px-4 md:gap-5 md:px-6 lg:gap-7">
        <MenuButton company={company} logo={logo} items={navigation.default} />
        <Brand company={company} logo={logo} compact className="max-sm:hidden" />
        <HorizontalNavigation items={navigation.horizontal} className="flex-1 max-md:hidden" />
        <Tools tools={tools} />
      </header>
      <Content>{content}</Content>
      {footer}
    </div>
  );
}
