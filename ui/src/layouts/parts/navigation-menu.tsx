import { useLocation, useNavigate } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Menu, MenuItem, MenuPopover, MenuSeparator, Submenu } from "@/components/menu";
import { cx } from "@/lib/cx";
import { isInAppPath, isSafeLink } from "@/lib/links";
import type { MenuState } from "@/lib/use-menu-trigger";
import { NavigationIcon } from "./navigation-icon";
import { isActive, shown, useNavigationWords } from "./navigation-words";

export interface NavigationMenuProps extends MenuState {
  items: NavigationItem[];
}

/** The menu under an entry of the bar; branches, groups and columns open submenus beside it. */
export default function NavigationMenu({ items, ...popover }: NavigationMenuProps) {
  const words = useNavigationWords();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const follow = (item: NavigationItem) => {
    if (!item.link) return;
    if (item.externalLink) {
      if (isSafeLink(item.link)) open(item.link, "_blank", "noopener");
    } else if (isInAppPath(item.link)) void navigate(item.link);
  };
  const draw = (item: NavigationItem) => {
    if (item.type === "divider") return <MenuSeparator key={item.id} />;
    if (item.type === "spacer") return null;
    const children = shown(item.children);
    const title = words(item.title);
    const active = isActive(item, pathname);
    const row = (
      <MenuItem
        key={item.id}
        id={item.id}
        textValue={title}
        isDisabled={item.disabled ?? false}
        icon={item.icon && <NavigationIcon name={item.icon} size={18} className={active ? "text-accent" : "text-soft"} />}
        {...(children.length === 0 && { onAction: () => follow(item) })}
      >
        <span className="flex items-center gap-3">
          <span className="min-w-0 flex-1">
            <span className={cx("block truncate", active && "text-accent")}>{title}</span>
            {item.subtitle && <span className="block truncate text-xs font-normal text-muted">{words(item.subtitle)}</span>}
          </span>
          {item.badge && (
            <em className="rounded-lg bg-gray-200 px-1.5 text-2xs font-semibold text-gray-700 not-italic tabular-nums">
              {item.badge.title}
            </em>
          )}
        </span>
      </MenuItem>
    );
    if (children.length === 0) return row;
    return (
      <Submenu key={item.id} item={row}>
        <Menu aria-label={title}>{children.map(draw)}</Menu>
      </Submenu>
    );
  };
  return (
    <MenuPopover placement="bottom start" {...popover}>
      <Menu>{items.map(draw)}</Menu>
    </MenuPopover>
  );
}
