import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Mark } from "@/components/mark";
import { useCompanyInfo } from "@/shell/company-info";

/** The frame of the pages before sign-in: the form at the left, the company's colours at the right. */
export function Split({ children }: { children: ReactNode }) {
  const { t } = useTranslation();
  const company = useCompanyInfo((state) => state.company);
  return (
    <div className="grid min-h-dvh grid-cols-1 bg-surface max-md:place-items-center max-md:bg-page md:grid-cols-[minmax(480px,44%)_1fr] max-sm:!bg-surface max-sm:place-items-stretch">
      <main className="w-full self-center px-5 py-10 sm:max-md:my-8 sm:max-md:max-w-120 sm:max-md:rounded-2xl sm:max-md:border sm:max-md:border-line sm:max-md:bg-surface sm:max-md:p-12 sm:max-md:shadow-card md:ml-auto md:max-w-135 md:px-18 md:py-14">
        <p className="flex items-center gap-2.5">
          {company.logotipo_dark ? (
            <img src={company.logotipo_dark} alt={company.name} className="h-9 max-w-50 object-contain" />
          ) : (
            <Mark size={30} />
          )}
          {!company.logotipo_dark && <b className="truncate text-[15px] font-bold tracking-[-.01em] text-ink">{company.name}</b>}
        </p>
        {children}
      </main>
      <aside className="grid place-items-center bg-primary-950 bg-[radial-gradient(90%_70%_at_85%_10%,var(--primary-700),transparent_70%),radial-gradient(70%_60%_at_10%_95%,var(--primary-600),transparent_65%)] p-10 text-white max-md:hidden lg:p-16">
        <div className="max-w-140">
          <p className="text-4xl font-bold tracking-[-.03em] text-balance">{t("ui.auth.claim")}</p>
          <p className="mt-4 max-w-105 text-[17px] leading-6.5 text-primary-200">{t("ui.auth.claimText")}</p>
        </div>
      </aside>
    </div>
  );
}
