import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";
import type { NavigationItem } from "@/api/schema";

/** Translates navigation titles, which are translation keys, and updates them when the language changes. */
export function useNavigationWords() {
  const { t } = useTranslation();
  return (text: string | undefined) => (text ? t(text as ParseKeys) : "");
}

/** Removes hidden items. */
export function shown(items: NavigationItem[] | undefined): NavigationItem[] {
  return (items ?? []).filter((item) => !item.hidden);
}

/** Whether the path belongs to the item or to one below it. */
export function isActive(item: NavigationItem, path: string): boolean {
  // The dashboard opens its first tab, and the addresses of its tabs are not below its own.
  const place = path === "/dashboard" ? "/dashboards/project" : path;
  if (item.link && !item.externalLink) {
    const link = item.link === "/dashboard" ? "/dashboards" : item.link;
    if (item.exactMatch ? path === item.link : place === link || place.startsWith(`${link}/`)) return true;
  }
  return shown(item.children).some((child) => isActive(child, path));
}

/** Returns the branches to open to show the current item, outermost first. */
export function branchesTo(items: NavigationItem[] | undefined, path: string): string[] {
  for (const item of shown(items)) {
    if (!shown(item.children).some((child) => isActive(child, path))) continue;
    return [...(item.type === "collapsable" ? [item.id] : []), ...branchesTo(item.children, path)];
  }
  return [];
}
