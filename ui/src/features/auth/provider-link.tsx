import { KeyRound } from "lucide-react";
import { useTranslation } from "react-i18next";
import { buttonLook } from "@/components/button";

export interface ProviderLinkProps {
  /** The company's slug. */
  company: string;
  /** The company's name for the provider. */
  name: string;
  /** The path to open after sign-in. */
  to: string;
}

/** A link to the company's single sign-on provider. */
export function ProviderLink({ company, name, to }: ProviderLinkProps) {
  const { t } = useTranslation();
  return (
    <a href={`api/auth/oidc/start?${new URLSearchParams({ company, redirectURL: to })}`} className={buttonLook({ wide: true })}>
      <KeyRound aria-hidden size={18} className="shrink-0" />
      <span className="truncate">{t("ui.auth.continueWith", { name })}</span>
    </a>
  );
}
