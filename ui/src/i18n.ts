import i18n, { type BackendModule } from "i18next";
import { initReactI18next } from "react-i18next";
import type en from "../../i18n/en.json";
import { readStorage, storageKeys, takeBootResponse } from "./lib/boot-requests";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof en };
    returnNull: false;
  }
}

/** Returns a language's name in the language itself: English, Español. */
export function languageName(language: string): string {
  const name = new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

const fallbacks = ["en"];
/** Missing keys that were logged; each is logged once. */
const missing = new Set<string>();

/** Loads a language's translations. A temporary failure is retried, a missing language is not. */
const words: BackendModule = {
  type: "backend",
  init: () => undefined,
  read: (language, _namespace, done) => {
    const url = `./i18n/${language}.json`;
    const fetched = takeBootResponse(url) ?? fetch(url);
    fetched
      .then(async (answer) => (answer.ok ? done(null, await answer.json()) : done(`${answer.status}`, answer.status >= 500)))
      .catch((error: Error) => done(error, true));
  },
};

async function load(language: string): Promise<boolean> {
  if (!i18n.hasResourceBundle(language, "translation")) await i18n.reloadResources([language]);
  return i18n.hasResourceBundle(language, "translation");
}

/** Stores a chosen language for the next visit, before sign-in. */
export function rememberLanguage(language: string) {
  try {
    localStorage.setItem(storageKeys.language, language);
  } catch {
    // Without storage the choice lasts as long as the page, or as long as the member's own setting.
  }
}

const nothingLoaded = "Unable to load translation and all the fallback languages";

async function show(language: string): Promise<void> {
  await i18n.changeLanguage(language);
  document.documentElement.lang = language;
}

/** Switches the language; if it fails to load, the fallbacks are tried. */
export async function setLanguage(language: string): Promise<void> {
  for (const candidate of [language, ...fallbacks.filter((other) => other !== language)]) {
    if (!(await load(candidate))) continue;
    return show(candidate);
  }
  throw new Error(nothingLoaded);
}

/** Loads the first language before anything is shown: the last choice in this browser, else the company's. */
export async function startI18n(preferred?: string): Promise<void> {
  const wanted = readStorage(storageKeys.language) ?? preferred ?? "en";
  await i18n
    .use(words)
    .use(initReactI18next)
    .init({
      lng: wanted,
      fallbackLng: fallbacks,
      maxRetries: 2,
      interpolation: { escapeValue: false },
      react: { useSuspense: false },
      saveMissing: true,
      missingKeyHandler: (_languages, _namespace, key) => {
        if (missing.has(key)) return;
        missing.add(key);
        console.warn(`Missing translation for '${key}'`);
      },
    });
  // These were loaded above, with all retries: a language that failed is not tried again.
  const loaded = [wanted, ...fallbacks].find((language) => i18n.hasResourceBundle(language, "translation"));
  if (!loaded) throw new Error(nothingLoaded);
  await show(loaded);
}
