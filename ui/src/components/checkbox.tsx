import type { ComponentPropsWithRef, ReactNode } from "react";
import { cx } from "@/lib/cx";

export interface CheckboxProps extends Omit<ComponentPropsWithRef<"input">, "type"> {
  children?: ReactNode;
  /** Neither on nor off: some of the items it represents are selected. */
  indeterminate?: boolean;
}

export function Checkbox({ children, indeterminate = false, className, ref, ...rest }: CheckboxProps) {
  const box = (
    <input
      type="checkbox"
      className="size-4 shrink-0"
      ref={(node) => {
        if (node) node.indeterminate = indeterminate;
        if (typeof ref === "function") return ref(node);
        if (ref) ref.current = node;
      }}
      {...rest}
    />
  );
  if (!children) return box;
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box above is the control
    <label className={cx("touchable inline-flex items-center gap-2", className)}>
      {box}
      {children}
    </label>
  );
}

/** A checkbox without a text, with a label around it that is as large as a fingertip on touch screens. */
export function LargeCheckbox({ className, ...rest }: Omit<CheckboxProps, "children">) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the box inside is the control
    <label className={cx("fingertip relative -m-2.5 grid place-items-center p-2.5", className)}>
      <Checkbox {...rest} />
    </label>
  );
}
