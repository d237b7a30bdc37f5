import type { ParseKeys } from "i18next";
import { useTranslation } from "react-i18next";
import type { NavigationItem } from "@/api/schema";

/** Navigation titles are translation keys; they are put into words here, and again when the language changes. */
export function useNavigationWords() {
  const { t } = useTranslation();
  return (text: string | undefined) => (text ? t(text as ParseKeys) : "");
}

/** Hidden items are left out. */
export function shown(items: NavigationItem[] | undefined): NavigationItem[] {
  return (items ?? []).filter((item) => !item.hidden);
}

/** Whether the address is that item's or below it, or that of something under it. */
export function isActive(item: NavigationItem, path: string): boolean {
  // The dashboard begins with its first tab, and its tabs have addresses beside it.
  const place = path === "/dashboard" ? "/dashboards/project" : path;
  if (item.link && !item.externalLink) {
    const link = item.link === "/dashboard" ? "/dashboards" : item.link;
    if (item.exactMatch ? path === item.link : place === link || place.startsWith(`${link}/`)) return true;
  }
  return shown(item.children).some((child) => isActive(child, path));
}

/** The branches that have to be open so that the item of the address is seen, from the outermost in. */
export function branchesTo(items: NavigationItem[] | undefined, path: string): string[] {
  for (const item of shown(items)) {
    if (!shown(item.children).some((child) => isActive(child, path))) continue;
    return [...(item.type === "collapsable" ? [item.id] : []), ...branchesTo(item.children, path)];
  }
  return [];
}
