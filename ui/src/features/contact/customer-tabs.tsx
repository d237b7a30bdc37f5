import { useTranslation } from "react-i18next";
import { TabNav } from "@/components/tab-nav";
import { useMay } from "@/features/account/data";

/** The tabs of the customers' screen. */
export function CustomerTabs() {
  const { t } = useTranslation();
  const items = [
    { to: "/customers", label: t("ui.customers.people"), end: true, may: useMay("customers.read") },
    { to: "/customers/organizations", label: t("ui.organizations.title"), may: useMay("organizations.read") },
    { to: "/customers/deals", label: t("ui.deals.title"), may: useMay("deals.read") },
  ].filter(({ may }) => may);
  return items.length > 1 && <TabNav label={t("ui.customers.title")} items={items} />;
}
