import i18n from "i18next";

/** Returns the language of the interface; dates and numbers follow it. */
export function locale(): string {
  return i18n.resolvedLanguage ?? i18n.language ?? "en";
}
