import { countInTitle } from "@/shell/use-title";

const icons = { plain: "/favicon.svg", waiting: "/favicon-unread.svg" };

/** Shows the number of unread items on the tab, and on the icon of an installed application. */
export function showOnTab(count: number) {
  countInTitle(count);
  const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
  const icon = count > 0 ? icons.waiting : icons.plain;
  if (link && link.getAttribute("href") !== icon) link.setAttribute("href", icon);
  // A badge that the system refuses is not an error.
  if (count > 0) navigator.setAppBadge?.(count).catch(() => undefined);
  else navigator.clearAppBadge?.().catch(() => undefined);
}
