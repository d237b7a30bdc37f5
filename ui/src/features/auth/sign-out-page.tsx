import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation, useNavigate } from "react-router";
import { hasUnsentInAnyTab, signOut } from "@/api/session";
import { Button } from "@/components/button";
import { Mark } from "@/components/mark";
import { useTitle } from "@/shell/use-title";

/** Seconds until the sign-in page. */
const redirectSeconds = 5;

/** Loads a new document, so that the next person gets nothing from memory. */
const toSignIn = () => location.replace("/sign-in");

/** Signs out, after a question if work is unsent, then counts down to the sign-in page. */
export function SignOutPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { state, key } = useLocation() as { state: { sure?: boolean } | null; key: string };
  const sure = state?.sure === true;
  const [step, setStep] = useState<"looking" | "asking" | "out">(sure ? "out" : "looking");
  const [seconds, setSeconds] = useState(redirectSeconds);
  useTitle(t(step === "out" ? "ui.auth.signedOut" : "ui.user.signOut"));
  useEffect(() => {
    if (step !== "looking") return;
    let shown = true;
    void hasUnsentInAnyTab().then((unsent) => shown && setStep(unsent ? "asking" : "out"));
    return () => {
      shown = false;
    };
  }, [step]);
  useEffect(() => {
    if (step === "out") void signOut();
  }, [step]);
  useEffect(() => {
    if (step !== "out") return;
    if (seconds === 0) return toSignIn();
    const timer = setTimeout(() => setSeconds(seconds - 1), 1000);
    return () => clearTimeout(timer);
  }, [step, seconds]);
  return (
    <main className="grid min-h-dvh place-items-center bg-page p-4">
      {step !== "looking" && (
        <div className="w-full max-w-105 rounded-2xl border border-line bg-surface p-8 text-center shadow-card sm:p-12">
          <span className="inline-block">
            <Mark size={44} />
          </span>
          <h1 className="mt-6 text-2xl font-title tracking-[-.022em] text-balance text-ink">
            {t(step === "asking" ? "ui.auth.unsentTitle" : "ui.auth.signedOut")}
          </h1>
          {step === "asking" ? (
            <>
              <p className="mt-2 text-balance text-muted">{t("ui.auth.unsentText")}</p>
              <div className="mt-6 flex flex-wrap justify-center gap-2">
                {/* Without a previous page in the application, there is none to go back to. */}
                <Button autoFocus onClick={() => void (key === "default" ? navigate("/", { replace: true }) : navigate(-1))}>
                  {t("ui.action.cancel")}
                </Button>
                <Button variant="danger" onClick={() => setStep("out")}>
                  {t("ui.auth.discardAndSignOut")}
                </Button>
              </div>
            </>
          ) : (
            <>
              <p role="timer" className="mt-2 text-balance text-muted">
                {t("ui.auth.redirecting", { count: seconds })}
              </p>
              <Button variant="primary" className="mt-6" onClick={toSignIn}>
                {t("ui.auth.goNow")}
              </Button>
            </>
          )}
        </div>
      )}
    </main>
  );
}
