import { useTranslation } from "react-i18next";
import { useSession } from "@/api/session";
import { ButtonLink } from "@/components/button-link";
import { Mark } from "@/components/mark";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";

/** The public page: the company of this installation, and the link to sign in. */
export function HomePage() {
  const { t } = useTranslation();
  const { company, front } = useCompanyInfo();
  const inside = useSession((state) => state.state === "signed-in");
  useTitle("");
  return (
    <div className="flex min-h-dvh flex-col bg-primary-950 bg-[radial-gradient(90%_70%_at_85%_10%,var(--primary-700),transparent_70%),radial-gradient(70%_60%_at_10%_95%,var(--primary-600),transparent_65%)] text-white">
      <main className="mx-auto grid w-full max-w-180 flex-1 grid-cols-1 content-center justify-items-start gap-4 px-6 py-16">
        {company.logotipo_light ? (
          <img src={company.logotipo_light} alt={company.name} className="mb-4 h-12 max-w-60 object-contain" />
        ) : (
          <span className="mb-4">
            <Mark size={52} />
          </span>
        )}
        <h1 className="text-4xl font-bold tracking-[-.03em] text-balance [overflow-wrap:anywhere]">
          {t("ui.home.title", { company: company.name })}
        </h1>
        {!inside && <p className="max-w-120 text-[17px] leading-6.5 text-primary-200">{t("ui.home.text")}</p>}
        <ButtonLink
          to={inside ? "/dashboard" : "/sign-in"}
          size="lg"
          className="mt-4 max-w-full !border-transparent !bg-white !px-6 !text-primary-950 hover:!bg-primary-100 focus-visible:outline-white"
        >
          <span className="truncate">{inside ? t("ui.home.open", { company: company.name }) : t("ui.auth.signIn")}</span>
        </ButtonLink>
      </main>
      <footer className="px-6 py-5 text-sm text-primary-200">
        {t("ui.shell.footer", { version: front, year: new Date().getFullYear() })}
      </footer>
    </div>
  );
}
