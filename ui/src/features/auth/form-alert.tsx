import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { refusalText } from "./refusal-text";

/** What went wrong with a form, unless it is said at its fields. */
export function FormAlert({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (!error) return null;
  return (
    <Alert kind="error" look="outline">
      {refusalText(t, error)}
    </Alert>
  );
}
