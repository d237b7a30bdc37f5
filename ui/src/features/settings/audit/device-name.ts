import type { TFunction } from "i18next";
import { deviceOf } from "@/features/security/device";

/** A device as people call it. */
export function deviceName(t: TFunction, device: string): string {
  const { browser, system } = deviceOf(device);
  if (browser && system) return t("ui.settings.device", { browser, system });
  return (browser ?? system ?? device) || t("ui.settings.unknownDevice");
}
