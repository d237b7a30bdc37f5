import type { Navigation, NavigationItem } from "@/api/schema";

const basic = (id: string, title: string, link: string, more: Partial<NavigationItem> = {}): NavigationItem => ({
  id,
  title,
  type: "basic",
  icon: "folder",
  link,
  ...more,
});

/** One entry of every kind; titles are keys of the catalogue or plain text. */
export const items: NavigationItem[] = [
  {
    id: "work",
    title: "Work",
    subtitle: "What there is to do",
    type: "group",
    children: [
      basic("tasks", "navigation.tasks", "/tasks", { badge: { title: "12" } }),
      basic("customers", "navigation.customers", "/customers", { subtitle: "Who buys" }),
      { id: "line", title: "", type: "divider" },
      basic("secret", "Secret", "/secret", { hidden: true }),
      basic("later", "Later", "/later", { disabled: true }),
    ],
  },
  { id: "gap", title: "", type: "spacer" },
  {
    id: "stock",
    title: "Stock",
    type: "collapsable",
    icon: "package",
    children: [
      basic("goods", "Goods", "/stock/goods"),
      {
        id: "places",
        title: "Places",
        type: "collapsable",
        children: [basic("shelves", "Shelves", "/stock/places/shelves"), basic("yard", "Yard", "/stock/places/yard")],
      },
    ],
  },
  { id: "money", title: "Money", type: "collapsable", icon: "credit-card", children: [basic("bills", "Bills", "/money/bills")] },
  {
    id: "reports",
    title: "Reports",
    subtitle: "What came of it",
    type: "aside",
    icon: "chart-pie",
    tooltip: "Figures",
    children: [basic("year", "Year", "/reports/year"), basic("month", "Month", "/reports/month")],
  },
  basic("settings", "navigation.settings", "/settings", { exactMatch: true, tooltip: "How it behaves" }),
  basic("outside", "Outside", "https://example.com/", { externalLink: true }),
  basic("harmful", "Harmful", "javascript:alert(1)", { externalLink: true }),
];

export const navigation: Navigation = { default: items, compact: items, futuristic: items, horizontal: items };
