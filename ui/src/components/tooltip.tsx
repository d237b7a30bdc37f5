import { cloneElement, type HTMLAttributes, type ReactElement, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";

export interface TooltipProps {
  text: string;
  /** Its position; left or right for buttons in a column. */
  side?: "below" | "right" | "left";
  children: ReactElement<HTMLAttributes<HTMLElement>>;
}

/**
 * Shows a button's name after a moment, or at once on keyboard focus. Not from the component library, because every
 * page's header needs it in the first load.
 */
export function Tooltip({ text, side = "below", children }: TooltipProps) {
  const [place, setPlace] = useState<{ left: number; top: number } | undefined>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const props = children.props;

  const open = (target: HTMLElement, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      if (target.getAttribute("aria-expanded") === "true") return;
      const box = target.getBoundingClientRect();
      setPlace(
        side === "below"
          ? { left: box.left + box.width / 2, top: box.bottom + 6 }
          : { left: side === "right" ? box.right + 8 : box.left - 8, top: box.top + box.height / 2 },
      );
    }, delay);
  };
  const close = () => {
    clearTimeout(timer.current);
    setPlace(undefined);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!place) return;
    const key = (event: KeyboardEvent) => event.key === "Escape" && close();
    addEventListener("keydown", key);
    addEventListener("scroll", close, true);
    return () => {
      removeEventListener("keydown", key);
      removeEventListener("scroll", close, true);
    };
  });

  return (
    <>
      {cloneElement(children, {
        onPointerEnter: (event) => {
          props.onPointerEnter?.(event);
          if (event.pointerType === "mouse") open(event.currentTarget, 450);
        },
        onPointerLeave: (event) => {
          props.onPointerLeave?.(event);
          close();
        },
        onPointerDown: (event) => {
          props.onPointerDown?.(event);
          close();
        },
        onFocus: (event) => {
          props.onFocus?.(event);
          if (event.currentTarget.matches(":focus-visible")) open(event.currentTarget, 150);
        },
        onBlur: (event) => {
          props.onBlur?.(event);
          close();
        },
      })}
      {place &&
        createPortal(
          <div
            role="tooltip"
            className="no-print pointer-events-none fixed z-[1200] max-w-60 rounded-lg bg-gray-900 px-2.5 py-1 text-xs font-medium text-white shadow-panel animate-fade"
            ref={(node) => {
              if (!node) return;
              const { offsetWidth: width, offsetHeight: height } = node;
              const left = place.left - (side === "below" ? width / 2 : side === "left" ? width : 0);
              const top = place.top - (side === "below" ? 0 : height / 2);
              node.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`;
              node.style.top = `${Math.min(top, innerHeight - height - 8)}px`;
            }}
          >
            {text}
          </div>,
          document.body,
        )}
    </>
  );
}
