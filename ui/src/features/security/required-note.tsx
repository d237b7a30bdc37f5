import { useTranslation } from "react-i18next";
import type { Factors } from "@/api/schema";
import { Alert } from "@/components/alert";
import { useUser } from "@/features/account/data";
import { hasFactor } from "./data";
import { daysLeft } from "./days-left";

/** Returns the text that says what to set up, and by when. */
export function useRequiredText() {
  const { t } = useTranslation();
  return ({ requiredFrom }: Factors) => {
    const left = daysLeft(requiredFrom);
    return left > 0 ? t("ui.security.requiredIn", { count: left }) : t("ui.security.requiredNow");
  };
}

/** The company's requirement, and its deadline. */
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
