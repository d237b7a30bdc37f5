import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { refusalText } from "./refusal-text";

/** A form's error, unless its fields show it. */
export function FormAlert({ error }: { error: unknown }) {
  const { t } = useTranslation();
  if (!error) return null;
  return (
    <Alert kind="error" look="outline">
      {refusalText(t, error)}
    </Alert>
  );
}
