import { CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useRouteError } from "react-router";
import { errorText } from "@/api/errors";
import { Button } from "@/components/button";
import { hideSplash } from "@/lib/splash";
import { useTitle } from "@/lib/use-title";

/** What shows when a screen cannot be loaded or breaks. */
export function ErrorPage() {
  const { t } = useTranslation();
  const error = useRouteError();
  useTitle(t("ui.error.title"));
  useEffect(() => {
    hideSplash();
    console.error(error);
  }, [error]);
  return (
    <main className="grid min-h-dvh place-content-center justify-items-center gap-2 p-6 text-center">
      <span className="mb-2 grid size-16 place-items-center rounded-full bg-bad-soft text-bad">
        <CircleAlert aria-hidden size={30} />
      </span>
      <h1 className="text-2xl font-title tracking-[-.022em] text-ink">{t("ui.error.title")}</h1>
      <p className="max-w-100 text-muted">{errorText(error)}</p>
      <div className="mt-4 flex flex-wrap justify-center gap-2">
        <Button variant="primary" onClick={() => location.reload()}>
          {t("ui.action.retry")}
        </Button>
        <Button onClick={() => location.assign("/dashboard")}>{t("ui.error.goToDashboard")}</Button>
      </div>
    </main>
  );
}
