import { useTranslation } from "react-i18next";
import { formatNumber } from "@/lib/format";

type Part = "created" | "updated" | "skipped" | "failed" | "undone" | "kept";

/** Returns a function that writes numbers of rows as a line, without those that are zero. */
export function useBrief() {
  const { t } = useTranslation();
  return (counts: Partial<Record<Part, number>>) =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => t(`ui.imports.brief.${name as Part}` as "ui.imports.brief.created", { count, total: formatNumber(count) }))
      .join(" · ");
}
