import type { LucideIcon } from "lucide-react";
import type { ComponentPropsWithRef } from "react";
import { cx } from "@/lib/cx";

const variants = {
  primary:
    "bg-action text-on-action border-transparent shadow-[inset_0_1px_0_rgb(255_255_255/.25),0_1px_2px_rgb(16_24_40/.12)] enabled:hover:bg-action-hover",
  secondary: "bg-surface text-gray-700 border-line shadow-control hover:bg-hover",
  active: "bg-tint-soft text-on-tint border-tint-line hover:bg-tint",
  ghost: "bg-transparent text-soft border-transparent hover:bg-hover",
  danger: "bg-bad-solid text-white border-transparent shadow-control hover:brightness-95",
  "danger-ghost": "bg-transparent text-bad border-transparent hover:bg-bad-soft",
};
const sizes = {
  sm: "h-8.5 px-2.75 rounded-lg text-sm",
  md: "h-10 px-3.5 rounded-control",
  lg: "h-11 px-4 rounded-control",
};

export interface ButtonLook {
  variant?: keyof typeof variants;
  size?: keyof typeof sizes;
  /** Uses the full width. */
  wide?: boolean;
}

/** Returns the classes of a button, also for links. */
export function buttonLook({ variant = "secondary", size = "md", wide }: ButtonLook): string {
  return cx(
    "no-print touchable relative inline-flex items-center justify-center gap-2 border font-medium whitespace-nowrap select-none transition-colors duration-150 disabled:opacity-50 disabled:pointer-events-none aria-disabled:opacity-60",
    variants[variant],
    sizes[size],
    wide && "w-full",
  );
}

export interface ButtonProps extends ComponentPropsWithRef<"button">, ButtonLook {
  icon?: LucideIcon;
  /** Whether an action is under way: the label stays, and further presses do nothing. */
  busy?: boolean;
}

/** A native button: light enough for the sign-in page, with all of the browser's own behaviour. */
export function Button({ variant, size, wide, icon: Icon, busy, className, children, onClick, type = "button", ...rest }: ButtonProps) {
  return (
    <button
      type={type}
      aria-disabled={busy || undefined}
      aria-busy={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : onClick}
      className={cx(buttonLook({ ...(variant && { variant }), ...(size && { size }), ...(wide && { wide }) }), className)}
      {...rest}
    >
      {Icon && <Icon aria-hidden size={size === "sm" ? 16 : 18} />}
      {children}
    </button>
  );
}
