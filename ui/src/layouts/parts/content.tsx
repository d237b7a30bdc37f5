import { useEffect, useLayoutEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { cx } from "@/lib/cx";

/** The link that skips the header for keyboard users. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/useValidAnchor: it is an anchor, but the base address would make it leave the page
    <a
      href="#content"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("content")?.focus();
      }}
      className="no-print fixed top-2 left-2 z-[1000] -translate-y-16 rounded-control bg-primary px-4 py-2 font-medium text-on-primary focus:translate-y-0"
    >
      {t("ui.shell.skip")}
    </a>
  );
}

/** Contains the screen. Navigation to another screen moves the focus here, so that it is read from its start. */
export function Content({ screen, className }: { screen: HTMLElement; className?: string }) {
  const ref = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const section = pathname.split("/")[1];
  const before = useRef(section);
  // The screen is rendered once and moved from layout to layout, so that its input is not lost.
  useLayoutEffect(() => {
    ref.current?.append(screen);
  }, [screen]);
  useEffect(() => {
    if (before.current === section) return;
    before.current = section;
    // The screen may have given the focus to a field already.
    if (!ref.current?.contains(document.activeElement)) ref.current?.focus({ preventScroll: true });
  }, [section]);
  return <main ref={ref} id="content" tabIndex={-1} className={cx("min-w-0 flex-1 outline-none", className)} />;
}
