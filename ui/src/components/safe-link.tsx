import type { ReactNode } from "react";
import { Link } from "react-router";
import { isInAppPath, isSafeLink } from "@/lib/links";

export interface SafeLinkProps {
  link: string | undefined;
  /** Whether the application's router opens it; otherwise it is an ordinary link. */
  useRouter: boolean | undefined;
  className?: string;
  onClick?: () => void;
  /** The id of its label, for a link that lies over its text instead of around it. */
  labelledBy?: string;
  children?: ReactNode;
}

/** A link from data: a link if it is safe, plain text otherwise. */
export function SafeLink({ link, useRouter, className, onClick, labelledBy, children }: SafeLinkProps) {
  const target = link && useRouter && !link.startsWith("/") && !/^[a-z][a-z0-9+.-]*:/i.test(link) ? `/${link}` : link;
  if (target && useRouter && isInAppPath(target)) {
    return (
      <Link to={target} className={className} onClick={onClick} aria-labelledby={labelledBy}>
        {children}
      </Link>
    );
  }
  if (target && isSafeLink(target)) {
    const external = /^https?:/i.test(target);
    return (
      <a
        href={target}
        className={className}
        onClick={onClick}
        aria-labelledby={labelledBy}
        rel="noopener noreferrer"
        {...(external && { target: "_blank" })}
      >
        {children}
      </a>
    );
  }
  return labelledBy ? null : <div className={className}>{children}</div>;
}
