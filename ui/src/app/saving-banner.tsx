import { Save } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { loadCompanyInfo } from "@/features/company-info/data";
import { useRefusedChanges } from "@/lib/saving";
import { useCompanyInfo } from "@/shell/company-info";

/** Milliseconds between two checks whether the server accepts changes again. */
const checkIntervalMs = 15_000;

/** Shown while the server accepts no changes, because its disk is full or fails. */
export function SavingBanner() {
  const { t } = useTranslation();
  const writable = useCompanyInfo((state) => state.writable);
  const refused = useRefusedChanges((state) => state.count);
  useEffect(() => {
    if (refused > 0) loadCompanyInfo().catch(() => undefined);
  }, [refused]);
  useEffect(() => {
    if (writable) return;
    const timer = setInterval(() => loadCompanyInfo().catch(() => undefined), checkIntervalMs);
    return () => clearInterval(timer);
  }, [writable]);
  return (
    <div role="status" className="max-w-full">
      {!writable && (
        <p className="flex max-w-150 items-center gap-2.5 rounded-xl bg-gray-900 px-4 py-2.5 font-medium text-white shadow-panel animate-enter">
          <Save aria-hidden size={18} className="shrink-0 text-primary-300" />
          {t("ui.error.notSaving")}
        </p>
      )}
    </div>
  );
}
