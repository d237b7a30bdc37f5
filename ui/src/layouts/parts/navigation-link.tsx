import type { ReactNode } from "react";
import { Link } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { isInAppPath, isSafeLink } from "@/lib/links";

export interface NavigationLinkProps {
  item: NavigationItem;
  active: boolean;
  className: string;
  children: ReactNode;
  onFollow?: (() => void) | undefined;
}

/** Leads where the item says: within the application, outside, or nowhere when it is disabled. */
export function NavigationLink({ item, active, className, children, onFollow }: NavigationLinkProps) {
  const current = active ? ("page" as const) : undefined;
  if (item.disabled || !item.link || !(item.externalLink ? isSafeLink(item.link) : isInAppPath(item.link))) {
    return (
      <span aria-disabled={item.disabled || undefined} className={`${className} aria-disabled:opacity-40`}>
        {children}
      </span>
    );
  }
  if (item.externalLink) {
    return (
      <a href={item.link} target="_blank" rel="noopener noreferrer" className={className}>
        {children}
      </a>
    );
  }
  return (
    <Link to={item.link} aria-current={current} className={className} onClick={onFollow}>
      {children}
    </Link>
  );
}
