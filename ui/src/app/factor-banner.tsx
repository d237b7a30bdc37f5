import { useQuery } from "@tanstack/react-query";
import { ShieldAlert } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useLocation } from "react-router";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { useUser } from "@/features/account/data";
import { factorsQuery, hasFactor } from "@/features/security/data";
import { useRequiredText } from "@/features/security/required-note";

/** Reminds a member without a second factor that the company will require one, and by when. */
export default function FactorBanner() {
  const { t } = useTranslation();
  const { customer } = useUser();
  const { pathname } = useLocation();
  const { data } = useQuery({ ...factorsQuery, staleTime: 600_000 });
  const [dismissed, setDismissed] = useState(false);
  const text = useRequiredText();
  if (dismissed || !data?.required || hasFactor(data) || pathname === "/settings/security") return null;
  return (
    <div
      role="status"
      className="pointer-events-auto flex max-w-150 flex-wrap items-center gap-x-4 gap-y-3 rounded-2xl border border-line bg-surface px-4 py-3 shadow-panel animate-enter"
    >
      <ShieldAlert aria-hidden size={20} className="shrink-0 text-warn" />
      <p className="min-w-48 flex-1">
        <b className="block font-semibold text-ink">{t("ui.security.requiredTitle", { company: customer.name })}</b>
        {text(data)}
      </p>
      <div className="ml-auto flex gap-2">
        <Button onClick={() => setDismissed(true)}>{t("ui.security.later")}</Button>
        <ButtonLink to="/settings/security" variant="primary">
          {t("ui.security.setUp")}
        </ButtonLink>
      </div>
    </div>
  );
}
