import { ChevronDown } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Icon } from "@/components/icon";
import { cx } from "@/lib/cx";
import { late } from "@/lib/late";
import { NavigationLink } from "./navigation-link";
import { isActive, shown, useNavigationWords } from "./navigation-words";

const NavigationMenu = late(() => import("./navigation-menu"));

const row = "flex h-9 items-center gap-2 rounded-lg px-2.5 font-medium whitespace-nowrap lg:px-3 focus-visible:-outline-offset-2";

function Inner({ item, title }: { item: NavigationItem; title: string }) {
  return (
    <>
      {item.icon && <Icon name={item.icon} size={18} className="hidden lg:block" />}
      {title}
      {item.badge && (
        <em className="rounded-lg bg-gray-200 px-1.5 text-2xs font-semibold text-gray-700 not-italic tabular-nums">{item.badge.title}</em>
      )}
    </>
  );
}

function Branch({ item, active }: { item: NavigationItem; active: boolean }) {
  const words = useNavigationWords();
  const ref = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        ref={ref}
        type="button"
        aria-haspopup="menu"
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className={cx(row, active ? "bg-tint text-on-tint" : "text-soft hover:bg-hover hover:text-ink", open && "bg-hover")}
      >
        <Inner item={item} title={words(item.title)} />
        <ChevronDown aria-hidden size={16} />
      </button>
      <Suspense>{open && <NavigationMenu items={shown(item.children)} triggerRef={ref} isOpen={open} onOpenChange={setOpen} />}</Suspense>
    </>
  );
}

/** The bar of the layouts that have their navigation above; what has children is a menu. */
export function HorizontalNavigation({ items, className }: { items: NavigationItem[]; className?: string }) {
  const { t } = useTranslation();
  const words = useNavigationWords();
  const { pathname } = useLocation();
  return (
    <nav aria-label={t("ui.shell.navigation")} className={cx("min-w-0 overflow-x-auto", className)}>
      <ul className="flex gap-0.5">
        {shown(items).map((item) => {
          if (item.type === "divider") return null;
          if (item.type === "spacer") return <li key={item.id} className="w-3" />;
          const active = isActive(item, pathname);
          return (
            <li key={item.id}>
              {shown(item.children).length > 0 ? (
                <Branch item={item} active={active} />
              ) : (
                <NavigationLink
                  item={item}
                  active={active}
                  className={cx(row, active ? "bg-tint text-on-tint" : "text-soft hover:bg-hover hover:text-ink")}
                >
                  <Inner item={item} title={words(item.title)} />
                </NavigationLink>
              )}
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
