import type { TFunction } from "i18next";

const browsers: [RegExp, string][] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(Firefox|FxiOS)\//, "Firefox"],
  [/\b(Chrome|CriOS|Chromium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];
const systems: [RegExp, string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X\b|\bMacintosh\b/, "macOS"],
  [/\bLinux\b/, "Linux"],
];

export interface Device {
  browser: string | undefined;
  system: string | undefined;
  /** Held in a hand. */
  mobile: boolean;
}

/** What a browser's name for itself tells; both parts are missing for programs that are no browser. */
export function deviceOf(name: string): Device {
  return {
    browser: browsers.find(([pattern]) => pattern.test(name))?.[1],
    system: systems.find(([pattern]) => pattern.test(name))?.[1],
    mobile: /\b(iPhone|iPad|Android|Mobile)\b/.test(name),
  };
}

/** A device as people call it; a program that is no browser goes by the name that it gives itself. */
export function deviceName(t: TFunction, device: string, otherwise = device || t("ui.settings.unknownDevice")): string {
  const { browser, system } = deviceOf(device);
  return browser && system ? t("ui.settings.device", { browser, system }) : (browser ?? system ?? otherwise);
}
