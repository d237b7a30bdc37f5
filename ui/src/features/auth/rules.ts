import { useTranslation } from "react-i18next";

/** What is wrong with the fields that several of these pages have. */
export function useRules() {
  const { t } = useTranslation();
  return {
    email: (value: string) =>
      value.trim() === "" ? t("ui.auth.emailMissing") : /^\S+@\S+$/.test(value.trim()) || t("ui.auth.emailInvalid"),
    name: (value: string) => value.trim() !== "" || t("ui.auth.nameMissing"),
    company: (value: string) => value.trim() !== "" || t("ui.auth.companyMissing"),
    password: (value: string) => value !== "" || t("ui.auth.passwordMissing"),
  };
}
