import i18n from "i18next";

/** Returns the language of the interface; dates and numbers follow it. */
export function locale(): string {
  return i18n.resolvedLanguage ?? i18n.language ?? "en";
}

/** Returns a language without its region: `en` of `en-GB`. */
export const withoutRegion = (code: string): string => code.split("-")[0] ?? code;

/** Returns the language of the interface without its region. */
export const language = (): string => withoutRegion(locale());

/** The languages that every server has. */
export const builtInLocales = ["en", "en-GB", "es"];
