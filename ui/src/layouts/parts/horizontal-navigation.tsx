import { ChevronDown, Ellipsis } from "lucide-react";
import { type ReactNode, Suspense, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { cx } from "@/lib/cx";
import { lazyOnIdle } from "@/lib/lazy-on-idle";
import { useMenuTrigger } from "@/lib/use-menu-trigger";
import { NavigationIcon } from "./navigation-icon";
import { NavigationLink } from "./navigation-link";
import { isActive, shown, useNavigationWords } from "./navigation-words";

const NavigationMenu = lazyOnIdle(() => import("./navigation-menu"));

const look = (active: boolean) =>
  cx(
    "flex h-9 items-center gap-2 rounded-lg px-2.5 font-medium whitespace-nowrap lg:px-3 focus-visible:-outline-offset-2",
    active ? "bg-tint text-on-tint" : "text-soft hover:bg-hover hover:text-ink",
  );

function Inner({ item }: { item: NavigationItem }) {
  const words = useNavigationWords();
  return (
    <>
      {item.icon && <NavigationIcon name={item.icon} size={18} className="hidden lg:block" />}
      {words(item.title)}
      {item.badge && (
        <em className="rounded-lg bg-gray-200 px-1.5 text-2xs font-semibold text-gray-700 not-italic tabular-nums">{item.badge.title}</em>
      )}
    </>
  );
}

/** A button and the menu under it. */
function Branch({
  items,
  label,
  className,
  children,
}: {
  items: NavigationItem[];
  label?: string;
  className: string;
  children: ReactNode;
}) {
  const { button, menu } = useMenuTrigger();
  return (
    <>
      <button type="button" aria-label={label} {...button} className={cx(className, menu.isOpen && "bg-hover")}>
        {children}
      </button>
      <Suspense>{menu.isOpen && <NavigationMenu items={items} {...menu} />}</Suspense>
    </>
  );
}

/** Measures how many entries fit into the first line of a wrapping list. */
function useOverflow(entries: string) {
  const ref = useRef<HTMLUListElement>(null);
  const [fitting, setFitting] = useState(Number.POSITIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words have other widths
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return;
    const measure = () => {
      const all = Array.from(list.children) as HTMLElement[];
      const first = all.findIndex((one) => one.offsetTop > (all[0]?.offsetTop ?? 0));
      // Applied before the measured frame is painted.
      flushSync(() => setFitting(first < 0 ? Number.POSITIVE_INFINITY : first));
    };
    // Also reports the first size after layout; measuring here would cause a second layout.
    const observer = new ResizeObserver(measure);
    observer.observe(list);
    for (const one of list.children) observer.observe(one);
    return () => observer.disconnect();
  }, [entries]);
  return { ref, fitting };
}

/**
 * The navigation bar of layouts with a horizontal navigation; entries with children are menus, and so is the overflow.
 */
export function HorizontalNavigation({ items, className }: { items: NavigationItem[]; className?: string }) {
  const { t } = useTranslation();
  const words = useNavigationWords();
  const { pathname } = useLocation();
  const entries = shown(items).filter((item) => item.type !== "divider");
  const { ref, fitting } = useOverflow(entries.map((item) => words(item.title)).join("\n"));
  const rest = entries.slice(fitting);
  return (
    <nav aria-label={t("ui.shell.navigation")} className={cx("flex min-w-0 gap-0.5", className)}>
      <ul ref={ref} className="flex h-9 min-w-0 flex-wrap gap-x-0.5 gap-y-4 overflow-hidden">
        {entries.map((item, at) => {
          const hidden = at >= fitting ? "invisible" : undefined;
          if (item.type === "spacer") return <li key={item.id} aria-hidden className="w-3" />;
          const active = isActive(item, pathname);
          const children = shown(item.children);
          return (
            <li key={item.id} className={hidden}>
              {children.length > 0 ? (
                <Branch items={children} className={look(active)}>
                  <Inner item={item} />
                  <ChevronDown aria-hidden size={16} />
                </Branch>
              ) : (
                <NavigationLink item={item} active={active} side="below" className={look(active)}>
                  <Inner item={item} />
                </NavigationLink>
              )}
            </li>
          );
        })}
      </ul>
      {rest.length > 0 && (
        <Branch
          items={rest}
          label={t("ui.shell.more")}
          className={cx(look(rest.some((item) => isActive(item, pathname))), "!px-2 shrink-0")}
        >
          <Ellipsis aria-hidden size={20} />
        </Branch>
      )}
    </nav>
  );
}
