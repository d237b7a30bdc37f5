import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import { NavigationLink } from "./navigation-link";
import { isActive, shown, useNavigationWords } from "./navigation-words";

const indents = ["pl-3", "pl-11", "pl-15", "pl-19", "pl-23"];

function rowClass(depth: number, active: boolean) {
  return cx(
    "flex w-full min-h-9.5 items-center gap-3 rounded-[9px] py-2 pr-3 text-left font-medium focus-visible:-outline-offset-2",
    indents[Math.min(depth, indents.length - 1)],
    active ? "bg-hover text-ink" : "text-soft hover:bg-hover hover:text-ink",
  );
}

function Inner({ item }: { item: NavigationItem }) {
  const words = useNavigationWords();
  return (
    <>
      {item.icon && <Icon name={item.icon} />}
      <span className="min-w-0 flex-1">
        <span className="block truncate">{words(item.title)}</span>
        {item.subtitle && <span className="block truncate text-2xs font-normal text-muted">{words(item.subtitle)}</span>}
      </span>
      {item.badge && (
        <em className="rounded-lg bg-primary-300 px-1.5 text-2xs font-semibold text-primary-950 not-italic tabular-nums">
          {item.badge.title}
        </em>
      )}
    </>
  );
}

function Branch({
  item,
  depth,
  path,
  onFollow,
}: {
  item: NavigationItem;
  depth: number;
  path: string;
  onFollow: (() => void) | undefined;
}) {
  const current = isActive(item, path);
  const [open, setOpen] = useState(current);
  // The branch of the current address opens by itself.
  const [was, setWas] = useState(current);
  if (current !== was) {
    setWas(current);
    setOpen(current);
  }
  return (
    <li>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className={rowClass(depth, false)}>
        <Inner item={item} />
        <ChevronRight aria-hidden size={16} className={cx("transition-transform duration-200", open && "rotate-90")} />
      </button>
      {open && <Items items={shown(item.children)} depth={depth + 1} path={path} onFollow={onFollow} />}
    </li>
  );
}

function Items({
  items,
  depth,
  path,
  onFollow,
}: {
  items: NavigationItem[];
  depth: number;
  path: string;
  onFollow: (() => void) | undefined;
}) {
  const words = useNavigationWords();
  return (
    <ul className="grid gap-0.5">
      {items.map((item) => {
        if (item.type === "divider")
          return <li key={item.id} aria-hidden className={cx("border-t border-line", depth > 0 ? "my-3" : "mx-3 my-4")} />;
        if (item.type === "spacer") return <li key={item.id} aria-hidden className="h-1.5" />;
        const children = shown(item.children);
        if (item.type === "group") {
          return (
            <li key={item.id} className="pt-3.5">
              <p className="px-3 pb-1.5 text-[11.5px] leading-4 font-bold tracking-[.06em] text-primary-300 uppercase">
                {words(item.title)}
                {item.subtitle && (
                  <small className="block text-xs font-normal tracking-normal text-muted normal-case">{words(item.subtitle)}</small>
                )}
              </p>
              <Items items={children} depth={depth} path={path} onFollow={onFollow} />
            </li>
          );
        }
        if (children.length > 0) return <Branch key={item.id} item={item} depth={depth} path={path} onFollow={onFollow} />;
        const active = isActive(item, path);
        return (
          <li key={item.id}>
            <NavigationLink item={item} active={active} onFollow={onFollow} className={rowClass(depth, active)}>
              <Inner item={item} />
            </NavigationLink>
          </li>
        );
      })}
    </ul>
  );
}

/** The tree at the side: groups, branches that open, and the place where one is. Draw it in a dark subtree. */
export function VerticalNavigation({ items, onFollow, className }: { items: NavigationItem[]; onFollow?: () => void; className?: string }) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  return (
    <nav aria-label={t("ui.shell.navigation")} className={className}>
      <Items items={shown(items)} depth={0} path={pathname} onFollow={onFollow} />
    </nav>
  );
}
