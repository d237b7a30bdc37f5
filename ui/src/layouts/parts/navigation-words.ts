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

/** Whether the address is that item's or below it. */
export function isActive(item: NavigationItem, path: string): boolean {
  if (item.link && !item.externalLink) {
    if (item.exactMatch ? path === item.link : path === item.link || path.startsWith(`${item.link}/`)) return true;
    // The dashboard's tabs have addresses beside it, the team's list one below its name.
    const section = `/${item.link.split("/")[1] ?? ""}`;
    if (!item.exactMatch && !item.children && (item.link === `${section}/list` || item.link === "/dashboard") && path.startsWith(section))
      return true;
  }
  return shown(item.children).some((child) => isActive(child, path));
}
