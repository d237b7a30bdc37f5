import type { ComponentPropsWithRef, ReactNode } from "react";

export interface SwitchProps extends Omit<ComponentPropsWithRef<"input">, "type" | "className"> {
  children: ReactNode;
  hint?: string;
}

/** A switch that takes effect at once. */
export function Switch({ children, hint, ...rest }: SwitchProps) {
  return (
    <label className="touchable flex items-start justify-between gap-4">
      <span className="min-w-0">
        <span className="block font-medium text-gray-700">{children}</span>
        {hint && <span className="block text-sm text-muted">{hint}</span>}
      </span>
      <span className="relative mt-0.5 inline-flex shrink-0">
        {/* biome-ignore lint/a11y/useAriaPropsForRole: a checkbox announces its state by itself */}
        <input type="checkbox" role="switch" className="peer absolute inset-0 z-1 m-0 opacity-0" {...rest} />
        <span
          aria-hidden
          className="h-5.5 w-9.5 rounded-full bg-gray-400 transition-colors duration-150 peer-checked:bg-primary peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-primary peer-disabled:opacity-50 after:absolute after:top-0.5 after:left-0.5 after:size-4.5 after:rounded-full after:bg-white after:shadow-sm after:transition-transform after:duration-150 peer-checked:after:translate-x-4"
        />
      </span>
    </label>
  );
}
