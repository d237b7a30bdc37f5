import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { cx } from "@/lib/cx";
import { bringIntoView } from "@/lib/into-view";
import { branchesTo, shown } from "./navigation-words";
import { type Appearance, VerticalContext } from "./vertical-context";
import { VerticalItems } from "./vertical-items";

export interface VerticalNavigationProps {
  items: NavigationItem[];
  /** Full rows, tiles, icons that widen to rows, or icons only. */
  appearance?: Appearance;
  /** Whether the dense appearance is currently widened. */
  widened?: boolean;
  /** Whether it slides over the page, where a second column may have no room. */
  over?: boolean;
  onFollow?: (() => void) | undefined;
  className?: string;
}

/** The side tree: groups, expandable branches, second columns and the current item. */
export function VerticalNavigation({
  items,
  appearance = "default",
  widened = false,
  over = false,
  onFollow,
  className,
}: VerticalNavigationProps) {
  const { t } = useTranslation();
  const { pathname } = useLocation();
  const ref = useRef<HTMLElement>(null);
  const current = branchesTo(items, pathname);
  const [open, setOpen] = useState(current);
  const [aside, setAside] = useState<string>();
  // The open branch follows the address, and navigation closes the second column.
  const [was, setWas] = useState(pathname);
  if (pathname !== was) {
    setWas(pathname);
    setOpen(current);
    setAside(undefined);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current address and the appearance decide
  useEffect(() => {
    const here = ref.current?.querySelector("[aria-current=page]");
    if (here) bringIntoView(here);
  }, [pathname, appearance]);
  return (
    <VerticalContext.Provider
      value={{
        appearance,
        widened,
        over,
        path: pathname,
        open,
        // Opening a branch closes unrelated ones.
        toggle: (id, above) => setOpen(open.includes(id) ? above : [...above, id]),
        aside,
        setAside,
        onFollow,
      }}
    >
      <nav ref={ref} aria-label={t("ui.shell.navigation")} className={cx("min-w-0", className)}>
        <VerticalItems items={shown(items)} depth={0} above={[]} />
      </nav>
    </VerticalContext.Provider>
  );
}
