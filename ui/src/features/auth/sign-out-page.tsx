import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { signOut } from "@/api/session";
import { ButtonLink } from "@/components/button-link";
import { Mark } from "@/components/mark";
import { useTitle } from "@/lib/use-title";

/** Signs out at once, then counts down to the sign-in page. */
export function SignOutPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [seconds, setSeconds] = useState(5);
  useTitle(t("ui.auth.signedOut"));
  useEffect(() => void signOut(), []);
  useEffect(() => {
    if (seconds === 0) {
      void navigate("/sign-in", { replace: true });
      return;
    }
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [seconds, navigate]);
  return (
    <main className="grid min-h-dvh place-items-center bg-page p-4">
      <div className="w-full max-w-105 rounded-2xl border border-line bg-surface p-8 text-center shadow-card sm:p-12">
        <span className="inline-block">
          <Mark size={44} />
        </span>
        <h1 className="mt-6 text-2xl font-title tracking-[-.022em] text-balance text-ink">{t("ui.auth.signedOut")}</h1>
        <p role="timer" className="mt-2 text-balance text-muted">
          {t("ui.auth.redirecting", { count: seconds })}
        </p>
        <ButtonLink to="/sign-in" replace variant="primary" className="mt-6">
          {t("ui.auth.goNow")}
        </ButtonLink>
      </div>
    </main>
  );
}
