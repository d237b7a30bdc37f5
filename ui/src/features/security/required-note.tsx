import { useTranslation } from "react-i18next";
import type { Factors } from "@/api/schema";
import { Alert } from "@/components/alert";
import { useUser } from "@/features/account/data";
import { hasFactor } from "./data";
import { daysLeft } from "./days-left";

/** What there is to set up, and by when. */
export function useRequiredText() {
  const { t } = useTranslation();
  return ({ requiredFrom }: Factors) => {
    const left = daysLeft(requiredFrom);
    return left > 0 ? t("ui.security.requiredIn", { count: left }) : t("ui.security.requiredNow");
  };
}

/** What the company asks for, and by when. */
export function RequiredNote({ factors }: { factors: Factors }) {
  const { t } = useTranslation();
  const { customer } = useUser();
  const text = useRequiredText();
  if (!factors.required || hasFactor(factors)) return null;
  return (
    <Alert kind="warning">
      <b className="block font-semibold">{t("ui.security.requiredTitle", { company: customer.name })}</b>
      {text(factors)}
    </Alert>
  );
}
