import { useTranslation } from "react-i18next";
import type { Factors } from "@/api/schema";
import { Alert } from "@/components/alert";
import { useUser } from "@/features/account/data";
import { hasFactor } from "./data";
import { daysLeft } from "./days-left";

/** What the company asks for, and by when. */
export function RequiredNote({ factors }: { factors: Factors }) {
  const { t } = useTranslation();
  const { customer } = useUser();
  if (!factors.required || hasFactor(factors)) return null;
  const left = daysLeft(factors.requiredFrom);
  return (
    <Alert kind="warning">
      <b className="block font-semibold">{t("ui.security.requiredTitle", { company: customer.name })}</b>
      {left > 0 ? t("ui.security.requiredIn", { count: left }) : t("ui.security.requiredNow")}
    </Alert>
  );
}
