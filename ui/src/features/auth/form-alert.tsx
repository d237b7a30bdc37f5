import { useTranslation } from "react-i18next";
import { ApiError, errorText } from "@/api/errors";
import { Alert } from "@/components/alert";

/** What went wrong with a form, unless it is said at its fields. */
export function FormAlert({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (!error) return null;
  const wait = error instanceof ApiError && error.code === "slow_down" ? error.retryAfter : undefined;
  return (
    <Alert kind="error" look="outline">
      {wait ? t("ui.auth.slowDown", { seconds: wait }) : errorText(error)}
    </Alert>
  );
}
