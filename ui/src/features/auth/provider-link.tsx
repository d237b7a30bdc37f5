import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { buttonLook } from "@/components/button";

export interface ProviderLinkProps {
  /** The company's slug. */
  company: string;
  /** The provider, as the company calls it. */
  name: string;
  /** Where to go once signed in. */
  to: string;
}

/** Leads to the provider by which a company signs in. */
export function ProviderLink({ company, name, to }: ProviderLinkProps) {
  const { t } = useTranslation();
  return (
    <a href={`api/auth/oidc/start?${new URLSearchParams({ company, redirectURL: to })}`} className={buttonLook({ wide: true })}>
      <KeyRound aria-hidden size={18} className="shrink-0" />
      <span className="truncate">{t("ui.auth.continueWith", { name })}</span>
    </a>
  );
}
