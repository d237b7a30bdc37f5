import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, Outlet } from "react-router";
import { Column, Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { FactorPrompt } from "@/features/security/factor-prompt";
import { cx } from "@/lib/cx";
import { useCurrentInSight } from "@/lib/use-current-in-sight";
import { useTitle } from "@/shell/use-title";
import { useSettingsSections } from "./sections";

/** The settings, by topics at the left; in a row above the form on small screens. */
export function SettingsPage() {
  const { t } = useTranslation();
  const row = useRef<HTMLElement>(null);
  useCurrentInSight(row);
  useTitle(t("ui.settings.title"));
  const sections = useSettingsSections();
  return (
    <Page>
      <PageHead title={t("ui.settings.title")} lead={t("ui.settings.lead")} />
      <div className="@container">
        <div className="grid grid-cols-1 items-start gap-6 @min-[760px]:grid-cols-[16rem_minmax(0,1fr)]">
          <nav
            ref={row}
            aria-label={t("ui.settings.title")}
            className="-mx-4 flex gap-1 overflow-x-auto px-4 py-0.5 md:-mx-6 md:px-6 @min-[760px]:sticky @min-[760px]:top-20 @min-[760px]:mx-0 @min-[760px]:grid @min-[760px]:overflow-visible @min-[760px]:px-0"
          >
            {sections.map(({ name, icon: Icon, to }) => (
              <NavLink
                key={name}
                to={to}
                end
                className={({ isActive }) =>
                  cx(
                    "touchable flex shrink-0 items-center gap-3 rounded-control px-3 py-2 @min-[760px]:py-2.5",
                    isActive ? "bg-tint text-on-tint" : "text-soft hover:bg-hover hover:text-ink",
                  )
                }
              >
                <Icon aria-hidden size={20} />
                <span className="min-w-0">
                  <span className="block font-medium">{t(`ui.settings.sections.${name}`)}</span>
                  <span className="block text-xs @max-[760px]:hidden">{t(`ui.settings.about.${name}`)}</span>
                </span>
              </NavLink>
            ))}
          </nav>
          <Column>
            <Outlet />
          </Column>
        </div>
      </div>
      <FactorPrompt />
    </Page>
  );
}
