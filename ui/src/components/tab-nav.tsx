import { useRef } from "react";
import { NavLink } from "react-router";
import { cx } from "@/lib/cx";
import { useCurrentInSight } from "@/lib/use-current-in-sight";

/** Tabs with addresses of their own. */
export function TabNav({
  label,
  items,
  className,
}: {
  label: string;
  items: { to: string; label: string; end?: boolean }[];
  className?: string;
}) {
  const row = useRef<HTMLElement>(null);
  useCurrentInSight(row);
  return (
    <nav ref={row} aria-label={label} className={cx("mb-6 flex gap-6 overflow-x-auto border-b border-line", className)}>
      {items.map((item) => (
        <NavLink
          key={item.to}
          to={item.to}
          end={item.end ?? false}
          className={({ isActive }) =>
            cx(
              "touchable border-b-2 py-2.5 text-center font-medium whitespace-nowrap focus-visible:-outline-offset-2",
              isActive ? "border-primary text-ink" : "border-transparent text-muted hover:text-ink",
            )
          }
        >
          {item.label}
        </NavLink>
      ))}
    </nav>
  );
}
