import {
  BellRing,
  Building2,
  FileInput,
  History,
  type LucideIcon,
  Palette,
  ShieldCheck,
  Tags,
  TextCursorInput,
  Trash2,
  UserRound,
} from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { NavLink, Outlet } from "react-router";
import { Column, Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { useCurrentInSight } from "@/lib/use-current-in-sight";
import { useTitle } from "@/shell/use-title";

type Section = "account" | "appearance" | "notifications" | "security" | "company" | "tags" | "audit" | "fields" | "imports" | "bin";

/** The sections whose addresses begin with `data`. */
const ofData: Section[] = ["fields", "imports", "bin"];

const pathOf = (name: Section) => (name === "tags" ? "company/tags" : ofData.includes(name) ? `data/${name}` : name);

/** The settings, by topics at the left; in a row above the form on small screens. */
export function SettingsPage() {
  const { t } = useTranslation();
  const mayCompany = useMay("settings.company");
  const mayAudit = useMay("audit.read");
  const mayFields = useMay("fields.manage");
  const row = useRef<HTMLElement>(null);
  useCurrentInSight(row);
  useTitle(t("ui.settings.title"));
  const sections: [Section, LucideIcon][] = [
    ["account", UserRound],
    ["appearance", Palette],
    ["notifications", BellRing],
    ["security", ShieldCheck],
    ...(mayCompany
      ? ([
          ["company", Building2],
          ["tags", Tags],
        ] as [Section, LucideIcon][])
      : []),
    ...(mayAudit ? ([["audit", History]] as [Section, LucideIcon][]) : []),
    ...(mayFields ? ([["fields", TextCursorInput]] as [Section, LucideIcon][]) : []),
    ["imports", FileInput],
    ["bin", Trash2],
  ];
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
            {sections.map(([name, Icon]) => (
              <NavLink
                key={name}
                to={`/settings/${pathOf(name)}`}
                end
                className={({ isActive }) =>
                  cx(
                    "flex shrink-0 items-center gap-3 rounded-control px-3 py-2 @min-[760px]:py-2.5",
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
    </Page>
  );
}
