import type { LucideIcon } from "lucide-react";
import { Link, type LinkProps } from "react-router";
import { cx } from "@/lib/cx";
import { type ButtonLook, buttonLook } from "./button";

export interface ButtonLinkProps extends Omit<LinkProps, "className">, ButtonLook {
  icon?: LucideIcon;
  className?: string;
}

/** A link that looks like a button. */
export function ButtonLink({ variant, size, wide, icon: Icon, className, children, ...rest }: ButtonLinkProps) {
  return (
    <Link className={cx(buttonLook({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }), className)} {...rest}>
      {Icon && <Icon aria-hidden size={size === "sm" ? 16 : 18} />}
      {children}
    </Link>
  );
}
