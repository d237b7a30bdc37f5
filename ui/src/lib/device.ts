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
  /** Whether it is a phone or a tablet. */
  mobile: boolean;
}

/** Reads browser and system from a user agent; both are missing if it is not a browser. */
export function deviceOf(name: string): Device {
  return {
    browser: browsers.find(([pattern]) => pattern.test(name))?.[1],
    system: systems.find(([pattern]) => pattern.test(name))?.[1],
    mobile: /\b(iPhone|iPad|Android|Mobile)\b/.test(name),
  };
}

/** Formats a device for people; a program that is not a browser keeps its own name. */
export function deviceName(t: TFunction, device: string, otherwise = device || t("ui.settings.unknownDevice")): string {
  const { browser, system } = deviceOf(device);
  return browser && system ? t("ui.settings.device", { browser, system }) : (browser ?? system ?? otherwise);
}
