import type { RefObject } from "react";
import { useNavigate } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Icon } from "@/components/icon";
import { Menu, MenuItem, MenuPopover, MenuSeparator, Submenu } from "@/components/menu";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { shown, useNavigationWords } from "./navigation-words";

export interface NavigationMenuProps {
  items: NavigationItem[];
  triggerRef: RefObject<Element | null>;
  isOpen: boolean;
  onOpenChange: (open: boolean) => void;
}

/** What hangs under an entry of the bar; branches open further menus beside it. */
export default function NavigationMenu({ items, ...popover }: NavigationMenuProps) {
  const words = useNavigationWords();
  const navigate = useNavigate();
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
    const row = (
      <MenuItem
        key={item.id}
        id={item.id}
        isDisabled={item.disabled ?? false}
        icon={item.icon && <Icon name={item.icon} size={18} />}
        {...(children.length === 0 && { onAction: () => follow(item) })}
      >
        {title}
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
