import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { NavigationItem } from "@/api/schema";
import { Drawer } from "@/components/drawer";
import { IconButton } from "@/components/icon-button";
import { Brand } from "./brand";
import { VerticalNavigation } from "./vertical-navigation";

export interface SlideOverProps {
  company: string;
  logo: string | null | undefined;
  items: NavigationItem[];
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The navigation on small screens: slides in from the left over the page, and goes with a choice. */
export default function SlideOver({ company, logo, items, isOpen, onOpenChange }: SlideOverProps) {
  const { t } = useTranslation();
  return (
    <Drawer label={t("ui.shell.navigation")} side="left" isOpen={isOpen} onOpenChange={onOpenChange} className="dark text-body">
      <div className="flex h-16 items-center gap-2 pr-3 pl-5">
        <Brand company={company} logo={logo} className="flex-1" />
        <IconButton label={t("ui.action.close")} icon={X} onClick={() => onOpenChange(false)} />
      </div>
      <VerticalNavigation items={items} onFollow={() => onOpenChange(false)} className="min-h-0 flex-1 overflow-y-auto px-3 pb-6" />
    </Drawer>
  );
}
