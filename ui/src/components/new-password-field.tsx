import { useTranslation } from "react-i18next";
import { PasswordField, type PasswordFieldProps } from "./password-field";

/** The server's minimum and maximum length, in characters. */
const shortest = 12;
const longest = 128;

/** Validates a new password before it is sent. */
export function usePasswordRule() {
  const { t } = useTranslation();
  return (value: string) => {
    if (value === "") return t("ui.password.missing");
    return (value.length >= shortest && value.length <= longest) || t("ui.password.length", { shortest, longest });
  };
}

/** A field for a new password, with its rule and the progress below it. */
export function NewPasswordField({ typed, ...rest }: Omit<PasswordFieldProps, "hint" | "autoComplete"> & { typed: string }) {
  const { t } = useTranslation();
  const missing = shortest - typed.length;
  const hint =
    typed === "" ? t("ui.password.rule", { shortest }) : missing > 0 ? t("ui.password.more", { count: missing }) : t("ui.password.enough");
  return <PasswordField autoComplete="new-password" hint={hint} {...rest} />;
}
