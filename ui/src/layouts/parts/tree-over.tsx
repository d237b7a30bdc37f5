import { LifeBuoy } from "lucide-react";
import { useTranslation } from "react-i18next";
import { SafeLink } from "@/components/safe-link";
import { isInAppPath } from "@/lib/links";
import type { LayoutSlots } from "../slots";
import { Brand } from "./brand";
import type { Over } from "./menu-button";
import SlideOver from "./slide-over";
import { VerticalNavigation } from "./vertical-navigation";

export interface TreeOverProps extends Over {
  slots: LayoutSlots;
  /** The help link, in the layout that shows it. */
  support?: string;
}

/** The full tree on small screens, for layouts with a bar on wide ones. */
export default function TreeOver({ slots, support, ...over }: TreeOverProps) {
  const { t } = useTranslation();
  const close = () => over.onOpenChange(false);
  return (
    <SlideOver {...over} head={<Brand company={slots.company} logo={slots.logo} ground="dark" className="flex-1" />}>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-6">
        <VerticalNavigation items={slots.navigation.default} onFollow={close} over />
      </div>
      {support && (
        <div className="border-t border-line p-3">
          <SafeLink
            link={support}
            useRouter={isInAppPath(support)}
            onClick={close}
            className="touchable flex min-h-9.5 items-center gap-3 rounded-[9px] px-3 py-2 font-medium text-soft hover:bg-hover hover:text-ink focus-visible:-outline-offset-2"
          >
            <LifeBuoy aria-hidden size={20} />
            {t("ui.shell.support")}
          </SafeLink>
        </div>
      )}
    </SlideOver>
  );
}
