import { CircleAlert, Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate, useRouteError } from "react-router";
import { errorText } from "@/api/errors";
import { Button } from "@/components/button";
import { cx } from "@/lib/cx";
import { hideSplash } from "@/lib/splash";
import { useTitle } from "@/shell/use-title";
import { useOffline } from "./connection-banner";

/** Whether a chunk of the interface no longer exists because the server has a newer version. */
const isGone = (error: unknown) =>
  error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);

/** The page for a screen that fails to load or to render; inside the shell, the navigation stays. */
export function ErrorPage({ inShell = false }: { inShell?: boolean }) {
  const { t } = useTranslation();
  const error = useRouteError();
  const navigate = useNavigate();
  const { pathname, search, hash } = useLocation();
  const offline = useOffline();
  // Without a connection the chunk is only unreachable.
  const [lost] = useState(() => isGone(error) && navigator.onLine === false);
  const gone = isGone(error) && !lost;
  const title = t(gone ? "ui.update.title" : "ui.error.title");
  useTitle(title);
  useEffect(() => {
    hideSplash();
    console.error(error);
  }, [error]);
  const Icon = gone ? Sparkles : CircleAlert;
  const Frame = inShell ? "div" : "main";
  const again = () => (inShell && !isGone(error) ? void navigate(pathname + search + hash, { replace: true }) : location.reload());
  const toDashboard = () => (inShell ? void navigate("/dashboard") : location.assign("/dashboard"));
  return (
    <Frame className={cx("grid place-content-center justify-items-center gap-2 p-6 text-center", inShell ? "min-h-[70dvh]" : "min-h-dvh")}>
      <span className={cx("mb-2 grid size-16 place-items-center rounded-full", gone ? "bg-tint text-on-tint" : "bg-bad-soft text-bad")}>
        <Icon aria-hidden size={30} />
      </span>
      <h1 className="text-2xl font-title tracking-[-.022em] text-balance text-ink">{title}</h1>
      <p className="max-w-100 text-muted">
        {gone ? t("ui.update.text") : lost ? t(offline ? "ui.error.offline" : "ui.error.unreachable") : errorText(error)}
      </p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Button variant="primary" disabled={lost && offline} onClick={again}>
          {t(gone ? "ui.update.reload" : "ui.action.retry")}
        </Button>
        <Button onClick={toDashboard}>{t("ui.error.goToDashboard")}</Button>
      </div>
    </Frame>
  );
}

/** The error page inside the shell. */
export const ScreenError = () => <ErrorPage inShell />;
