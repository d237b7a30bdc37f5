import i18n from "i18next";

/** Returns the language of the interface; dates and numbers follow it. */
export function locale(): string {
  return i18n.resolvedLanguage ?? i18n.language ?? "en";
}

/** Returns the language of the interface without its region: `en` of `en-GB`. */
export const language = (): string => locale().split("-")[0] ?? "en";

/** The languages that every server has. */
export const builtInLocales = ["en", "en-GB", "es"];
