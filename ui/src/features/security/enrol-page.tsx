import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { ArrowRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { queryClient } from "@/api/query";
import { ButtonLink } from "@/components/button-link";
import { Mark } from "@/components/mark";
import { useUser } from "@/features/account/data";
import { safeRedirect } from "@/lib/links";
import { useTitle } from "@/shell/use-title";
import { factorsQuery, hasFactor } from "./data";
import { FactorCards } from "./factor-cards";

function Enrolment() {
  const { t } = useTranslation();
  const { customer, email } = useUser();
  const { data } = useQuery(factorsQuery);
  const [search] = useSearchParams();
  useTitle(t("ui.security.enrolTitle"));
  const ready = data && (!data.required || hasFactor(data));
  return (
    <main className="min-h-dvh bg-page px-4 py-10 sm:py-16">
      <div className="mx-auto grid max-w-160 grid-cols-1 gap-6">
        <header>
          <Mark size={40} />
          <h1 className="mt-6 text-2xl font-title tracking-[-.022em] text-balance text-ink">{t("ui.security.enrolTitle")}</h1>
          <p className="mt-1 text-soft">{t("ui.security.enrolLead", { company: customer.name })}</p>
        </header>
        <FactorCards />
        <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3">
          <p className="text-sm text-muted">
            {email}
            {" · "}
            <Link to="/sign-out" className="rounded font-medium text-accent hover:underline">
              {t("ui.user.signOut")}
            </Link>
          </p>
          {/* Reloads the document, because the requests made on entry were refused. */}
          {ready && (
            <ButtonLink reloadDocument to={safeRedirect(search.get("redirectURL"))} variant="primary" size="lg" icon={ArrowRight}>
              {t("ui.security.goOn")}
            </ButtonLink>
          )}
        </footer>
      </div>
    </main>
  );
}

/** The page that sets up a second factor after the company's grace period, before anything else works. */
export function EnrolPage() {
  return (
    <QueryClientProvider client={queryClient}>
      <Enrolment />
    </QueryClientProvider>
  );
}
