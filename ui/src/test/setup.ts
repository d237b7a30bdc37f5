import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import i18n from "i18next";
import { initReactI18next } from "react-i18next";
import { afterEach, beforeAll } from "vitest";
import en from "../../../i18n/en.json";

beforeAll(async () => {
  if (!i18n.isInitialized) {
    await i18n.use(initReactI18next).init({
      lng: "en",
      fallbackLng: "en",
      resources: { en: { translation: en } },
      interpolation: { escapeValue: false },
    });
  }
});

configure({ asyncUtilTimeout: 20_000 });

afterEach(cleanup);
