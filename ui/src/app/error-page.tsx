import { CircleAlert, Sparkles, X } from "lucide-react";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useRouteError } from "react-router";
import { errorText } from "@/api/errors";
import { Button } from "@/components/button";
import { IconButton } from "@/components/icon-button";
import { cx } from "@/lib/cx";
import { hideSplash } from "@/lib/splash";
import { useTitle } from "@/shell/use-title";
import { useOffline } from "./connection-banner";

/** Whether a chunk of the interface no longer exists because the server has a newer version. */
const isGone = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);

/** Returns what is said of a screen that failed to load or to render, and what tries it again. */
function useFailure(inShell: boolean) {
  const { t } = useTranslation();
  const error = useRouteError();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const offline = useOffline();
  // Without a connection the chunk is only unreachable.
  const [lost] = useState(() => isGone(error) && navigator.onLine === false);
  const gone = isGone(error) && !lost;
  useEffect(() => {
    hideSplash();
    console.error(error);
  }, [error]);
  return {
    gone,
    title: t(gone ? "ui.update.title" : "ui.error.title"),
    text: gone ? t("ui.update.text") : lost ? t(offline ? "ui.error.offline" : "ui.error.unreachable") : errorText(error),
    retry: {
      disabled: lost && offline,
      children: t(gone ? "ui.update.reload" : "ui.action.retry"),
      onClick: () => (inShell && !isGone(error) ? void navigate(pathname + search + hash, { replace: true }) : location.reload()),
    },
  };
}

/** The page for a screen that fails to load or to render; inside the shell, the navigation stays. */
export function ErrorPage({ inShell = false }: { inShell?: boolean }) {
  const { t } = useTranslation();
  const { gone, title, text, retry } = useFailure(inShell);
  const navigate = useNavigate();
  useTitle(title);
  const Icon = gone ? Sparkles : CircleAlert;
  const Frame = inShell ? "div" : "main";
  const toDashboard = () => (inShell ? void navigate("/dashboard") : location.assign("/dashboard"));
  return (
    <Frame className={cx("grid place-content-center justify-items-center gap-2 p-6 text-center", inShell ? "min-h-[70dvh]" : "min-h-dvh")}>
      <span className={cx("mb-2 grid size-16 place-items-center rounded-full", gone ? "bg-tint text-on-tint" : "bg-bad-soft text-bad")}>
        <Icon aria-hidden size={30} />
      </span>
      <h1 className="text-2xl font-title tracking-[-.022em] text-balance text-ink">{title}</h1>
      <p className="max-w-100 text-muted">{text}</p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Button variant="primary" {...retry} />
        <Button onClick={toDashboard}>{t("ui.error.goToDashboard")}</Button>
      </div>
    </Frame>
  );
}

/** The error page inside the shell. */
export const ScreenError = () => <ErrorPage inShell />;

/**
 * What stands in the place of a record's drawer that fails to load: the list below stays. It needs no code that is not
 * loaded yet, as the usual drawer might.
 */
export function DrawerError() {
  const { t } = useTranslation();
  const { title, text, retry } = useFailure(true);
  const navigate = useNavigate();
  const { search } = useLocation();
  const id = useId();
  const box = useRef<HTMLElement>(null);
  const close = () => void navigate({ pathname: ".", search }, { relative: "route", preventScrollReset: true });
  const onKey = useEffectEvent((event: KeyboardEvent) => event.key === "Escape" && close());
  useEffect(() => {
    const before = document.activeElement;
    const listen = (event: KeyboardEvent) => onKey(event);
    box.current?.focus();
    addEventListener("keydown", listen);
    return () => {
      removeEventListener("keydown", listen);
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  return (
    <section
      ref={box}
      role="dialog"
      aria-labelledby={id}
      tabIndex={-1}
      className="fixed inset-y-0 right-0 z-[399] flex w-full flex-col bg-surface shadow-drawer outline-none sm:w-140"
    >
      <header className="flex justify-end border-b border-line py-2.5 pr-3 pl-5">
        <IconButton label={t("ui.action.close")} icon={X} onClick={close} />
      </header>
      <div className="grid flex-1 place-content-center justify-items-center gap-2 p-6 text-center">
        <h2 id={id} className="text-lg font-bold text-balance text-ink">
          {title}
        </h2>
        <p className="max-w-100 text-muted">{text}</p>
        <Button variant="primary" className="mt-4" {...retry} />
      </div>
    </section>
  );
}
