import { useTranslation } from "react-i18next";
import { PasswordField, type PasswordFieldProps } from "./password-field";

/** The fewest and most characters that the server takes. */
const shortest = 12;
const longest = 128;

/** What is wrong with a new password, before the server has seen it. */
export function usePasswordRule() {
  const { t } = useTranslation();
  return (value: string) => {
    if (value === "") return t("ui.password.missing");
    return (value.length >= shortest && value.length <= longest) || t("ui.password.length", { shortest, longest });
  };
}

/** A new password: the rule below it says how far one has come. */
export function NewPasswordField({ typed, ...rest }: Omit<PasswordFieldProps, "hint" | "autoComplete"> & { typed: string }) {
  const { t } = useTranslation();
  const missing = shortest - typed.length;
  const hint =
    typed === "" ? t("ui.password.rule", { shortest }) : missing > 0 ? t("ui.password.more", { count: missing }) : t("ui.password.enough");
  return <PasswordField autoComplete="new-password" hint={hint} {...rest} />;
}
