import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { useTitle } from "@/shell/use-title";
import { AuthHead } from "./auth-head";
import { FactorForm, type FactorFormProps } from "./factor-form";

/** The second step of sign-in. */
export default function FactorStep({ onBack, ...form }: Omit<FactorFormProps, "head" | "foot"> & { onBack: () => void }) {
  const { t } = useTranslation();
  const title = t("ui.auth.secondFactor");
  useTitle(title);
  return (
    <FactorForm
      {...form}
      head={(lead) => <AuthHead title={title}>{lead}</AuthHead>}
      foot={
        <Button variant="ghost" wide onClick={onBack}>
          {t("ui.auth.otherAccount")}
        </Button>
      }
    />
  );
}
