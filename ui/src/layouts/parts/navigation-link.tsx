import type { ReactNode } from "react";
import { Link } from "react-router";
import type { NavigationItem } from "@/api/schema";
import { Tooltip } from "@/components/tooltip";
import { isInAppPath, isSafeLink } from "@/lib/links";
import { useNavigationWords } from "./navigation-words";

export interface NavigationLinkProps {
  item: NavigationItem;
  active: boolean;
  className: string;
  children: ReactNode;
  onFollow?: (() => void) | undefined;
  /** The tooltip where the title is not shown. */
  hint?: string | undefined;
  side?: "below" | "right";
}

/** A link to the item's target: within the application, outside, or none if it is disabled. */
export function NavigationLink({ item, active, className, children, onFollow, hint, side = "right" }: NavigationLinkProps) {
  const words = useNavigationWords();
  const said = words(item.tooltip);
  // A tooltip that repeats the visible title is left out.
  const text = hint ?? (said === words(item.title) ? "" : said);
  const link = draw();
  return text ? (
    <Tooltip text={text} side={side}>
      {link}
    </Tooltip>
  ) : (
    link
  );

  function draw() {
    if (item.disabled || !item.link || !(item.externalLink ? isSafeLink(item.link) : isInAppPath(item.link))) {
      return (
        <span {...(item.disabled && { role: "link", "aria-disabled": true })} className={`${className} aria-disabled:opacity-40`}>
          {children}
        </span>
      );
    }
    if (item.externalLink) {
      return (
        <a href={item.link} target="_blank" rel="noopener noreferrer" className={className} onClick={onFollow}>
          {children}
        </a>
      );
    }
    return (
      <Link to={item.link} aria-current={active ? "page" : undefined} className={className} onClick={onFollow}>
        {children}
      </Link>
    );
  }
}
