import { Check } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Flag } from "@/components/flag";
import { Menu, MenuItem, MenuPopover } from "@/components/menu";
import { languageName } from "@/i18n";
import type { MenuState } from "@/lib/use-menu-trigger";
import { useCompanyInfo } from "@/shell/company-info";
import { useChooseLanguage } from "./use-choose-language";

/** The available languages; a member's choice is saved with the member. */
export default function LanguageMenu(props: MenuState) {
  const { t, i18n } = useTranslation();
  const locales = useCompanyInfo((state) => state.locales);
  const choose = useChooseLanguage();
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
