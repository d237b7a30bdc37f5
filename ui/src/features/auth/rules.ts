import { useTranslation } from "react-i18next";

/** The length of an authenticator's codes (`DIGITS` of `src/access/factors/totp.rs`); a complete code is sent at once. */
export const totpDigits = 6;

/** Returns the validation rules that several of these pages share. */
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
