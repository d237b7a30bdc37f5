import { Building2, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { CompanyChoice } from "@/api/schema";
import { Button } from "@/components/button";
import { AuthHead } from "./auth-head";

interface CompanyStepProps {
  companies: CompanyChoice[];
  onChoose: (slug: string) => void;
  onBack: () => void;
}

/** The choice of a company for a person who belongs to several. */
export default function CompanyStep({ companies, onChoose, onBack }: CompanyStepProps) {
  const { t } = useTranslation();
  return (
    <>
      <AuthHead title={t("ui.auth.chooseCompany")}>{t("ui.auth.chooseCompanyLead")}</AuthHead>
      <ul className="mt-6 grid grid-cols-1 gap-2">
        {companies.map((company, at) => (
          <li key={company.slug}>
            <button
              type="button"
              autoFocus={at === 0}
              onClick={() => onChoose(company.slug)}
              className="flex min-h-13 w-full items-center gap-3 rounded-control border border-line bg-surface px-3.5 py-2 text-left shadow-control hover:bg-hover"
            >
              <Building2 aria-hidden size={20} className="text-muted" />
              <span className="min-w-0 flex-1 font-medium text-ink [overflow-wrap:anywhere]">{company.name}</span>
              <ChevronRight aria-hidden size={18} className="text-muted" />
            </button>
          </li>
        ))}
      </ul>
      <Button variant="ghost" wide className="mt-3" onClick={onBack}>
        {t("ui.auth.otherAccount")}
      </Button>
    </>
  );
}
