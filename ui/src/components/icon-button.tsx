import type { LucideIcon } from "lucide-react";
import type { ComponentPropsWithRef, ReactNode } from "react";
import { cx } from "@/lib/cx";
import { Tooltip } from "./tooltip";

const sizes = { sm: "size-8 rounded-lg", md: "size-10 rounded-control" };
const tones = {
  plain: "text-soft hover:bg-hover hover:text-ink",
  /** For the filled head of a panel. */
  inverse: "text-white bg-white/12 hover:bg-white/22 focus-visible:outline-white",
  danger: "text-soft hover:bg-bad-soft hover:text-bad",
};

export interface IconButtonProps extends Omit<ComponentPropsWithRef<"button">, "aria-label" | "children"> {
  /** The accessible name, also shown as a tooltip. */
  label: string;
  icon?: LucideIcon;
  size?: keyof typeof sizes;
  tone?: keyof typeof tones;
  /** Whether the surface that it opens is open. */
  active?: boolean | undefined;
  children?: ReactNode;
}

export function IconButton({ label, icon: Icon, size = "md", tone = "plain", active, className, children, ...rest }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button
        type="button"
        aria-label={label}
        className={cx(
          "no-print touchable relative grid place-items-center shrink-0 transition-colors duration-150 disabled:opacity-40 disabled:pointer-events-none",
          sizes[size],
          tones[tone],
          active && "bg-hover text-ink",
          className,
        )}
        {...rest}
      >
        {Icon && <Icon aria-hidden size={size === "sm" ? 18 : 20} />}
        {children}
      </button>
    </Tooltip>
  );
}
