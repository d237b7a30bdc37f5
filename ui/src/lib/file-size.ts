import { formatNumber } from "@/lib/format";

const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

/** 1.4 MB */
export function fileSize(bytes: number): string {
  const step = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  const value = bytes / 1000 ** step;
  return formatNumber(value, {
    style: "unit",
    unit: units[step] ?? "byte",
    unitDisplay: step === 0 ? "long" : "short",
    maximumFractionDigits: value < 10 && step > 0 ? 1 : 0,
  });
}
