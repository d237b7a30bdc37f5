import { Check } from "lucide-react";
import type { RefObject } from "react";
import { useTranslation } from "react-i18next";
import { errorText } from "@/api/errors";
import { useSession } from "@/api/session";
import { Flag } from "@/components/flag";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { languageName, rememberLanguage, setLanguage } from "@/i18n";
import { toast } from "@/lib/toast";
import { useVersion } from "@/lib/version";
import { useUpdateUser } from "../account/data";

export interface LanguageMenuProps {
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The languages on offer; a member's choice is kept with the member. */
export default function LanguageMenu(props: LanguageMenuProps) {
  const { t, i18n } = useTranslation();
  const locales = useVersion((state) => state.locales);
  const update = useUpdateUser();
  const choose = async (language: string) => {
    try {
      await setLanguage(language);
    } catch (error) {
      console.error(error);
      toast.error(errorText(error));
      return;
    }
    rememberLanguage(language);
    if (useSession.getState().state === "signed-in") update.mutate({ locale: language });
  };
  return (
    <MenuPopover {...props}>
      <Menu aria-label={t("ui.shell.language")} onAction={(key) => void choose(String(key))}>
        {locales.map((language) => (
          <MenuItem key={language} id={language} textValue={languageName(language)} icon={<Flag language={language} />}>
            <span lang={language} className="flex items-center justify-between gap-4">
              {languageName(language)}
              {language === i18n.language && <Check aria-hidden size={16} className="text-accent" />}
            </span>
          </MenuItem>
        ))}
      </Menu>
    </MenuPopover>
  );
}
