import { LifeBuoy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { SafeLink } from "@/components/safe-link";
import { Tooltip } from "@/components/tooltip";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { isInAppPath } from "@/lib/links";
import { Brand } from "./parts/brand";
import { Content, SkipLink } from "./parts/content";
import { Footer } from "./parts/footer";
import { Header } from "./parts/header";
import { HorizontalNavigation } from "./parts/horizontal-navigation";
import { MenuButton } from "./parts/menu-button";
import { Tools } from "./parts/tools";
import type { LayoutSlots } from "./slots";

const TreeOver = lazyOnIdle(() => import("./parts/tree-over"));

/** The link to help; on small screens it is under the tree. */
function Support({ link }: { link: string }) {
  const { t } = useTranslation();
  return (
    <Tooltip text={t("ui.shell.support")}>
      <span className="flex shrink-0 max-md:hidden">
        <SafeLink
          link={link}
          useRouter={isInAppPath(link)}
          className="flex h-9 items-center gap-2 rounded-lg border border-line px-2 font-medium text-soft hover:bg-hover hover:text-ink min-[1536px]:px-3"
        >
          <LifeBuoy aria-hidden size={18} />
          <span className="max-[1536px]:sr-only">{t("ui.shell.support")}</span>
        </SafeLink>
      </span>
    </Tooltip>
  );
}

/** A header over the full width with the navigation beside the logo; content without a box. */
export function ModernLayout(slots: LayoutSlots) {
  return (
    <div className="flex min-h-dvh bg-page">
      <SkipLink />
      <div className="flex min-w-0 flex-1 flex-col">
        <Header className="md:gap-4 lg:gap-6">
          <MenuButton over={(state) => <TreeOver {...state} slots={slots} support={slots.support} />} />
          <Brand company={slots.company} logo={slots.logo} words="lg" className="max-sm:hidden lg:shrink-0" />
          <HorizontalNavigation items={slots.navigation.horizontal} className="flex-1 max-md:hidden" />
          <Support link={slots.support} />
          <Tools tools={slots.tools} />
        </Header>
        <Content screen={slots.screen} />
        <Footer version={slots.version} />
      </div>
      {slots.rail}
    </div>
  );
}
