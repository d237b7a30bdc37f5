import { Menu } from "lucide-react";
import { Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import type { NavigationItem } from "@/api/schema";
import { IconButton } from "@/components/icon-button";
import { late } from "@/lib/late";

const SlideOver = late(() => import("./slide-over"));

/** Opens the navigation where it has no room of its own. */
export function MenuButton({ company, logo, items }: { company: string; logo: string | null | undefined; items: NavigationItem[] }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton
        label={t("ui.shell.menu")}
        icon={Menu}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className="max-sm:w-9 md:hidden"
      />
      <Suspense>{open && <SlideOver company={company} logo={logo} items={items} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}
