import { useTranslation } from "react-i18next";
import { TabNav } from "@/components/tab-nav";
import { useUser } from "@/features/account/data";
import type { ContactKind } from "@/features/record-parts/logging";
import { pathOfKind, recordKinds } from "@/records/kinds";

const tabs = [
  { kind: "customer", label: "ui.customers.people" },
  { kind: "organization", label: "ui.organizations.title" },
  { kind: "deal", label: "ui.deals.title" },
] as const satisfies { kind: ContactKind; label: string }[];

/** Returns the tabs of the customers' screen that the member may open. */
export function useCustomerTabs() {
  const { t } = useTranslation();
  const { permissions } = useUser();
  return tabs
    .filter(({ kind }) => permissions.includes(`${recordKinds[kind].name}.read`))
    .map(({ kind, label }) => ({ to: pathOfKind(kind), label: t(label), end: kind === "customer", icon: recordKinds[kind].icon }));
}

/** The tabs of the customers' screen. */
export function CustomerTabs() {
  const { t } = useTranslation();
  const items = useCustomerTabs();
  return items.length > 1 && <TabNav label={t("ui.customers.title")} items={items} />;
}
