import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { cx } from "@/lib/cx";

/** The link that lets keyboards jump over the header. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/useValidAnchor: an anchor it is, but the base address would make it leave the page
    <a
      href="#content"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("content")?.focus();
      }}
      className="fixed top-2 left-2 z-[1000] -translate-y-16 rounded-control bg-primary px-4 py-2 font-medium text-on-primary focus:translate-y-0"
    >
      {t("ui.shell.skip")}
    </a>
  );
}

/** Where the screen stands. Going to another screen moves the focus here, so that it is read from its start. */
export function Content({ className, children }: { className?: string; children: ReactNode }) {
  const ref = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const screen = pathname.split("/")[1];
  const before = useRef(screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    ref.current?.focus({ preventScroll: true });
  }, [screen]);
  return (
    <main ref={ref} id="content" tabIndex={-1} className={cx("min-w-0 flex-1 outline-none", className)}>
      {children}
    </main>
  );
}
