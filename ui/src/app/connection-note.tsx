import { WifiOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useLive } from "@/api/live";

/** Says that the server is out of reach, for as long as it is. */
export function ConnectionNote() {
  const { t } = useTranslation();
  const reachable = useLive((state) => state.reachable);
  return (
    <div role="status" className="no-print pointer-events-none fixed inset-x-0 bottom-4 z-[998] grid justify-items-center px-4">
      {!reachable && (
        <p className="flex items-center gap-2 rounded-full bg-gray-900 px-4 py-2 text-sm font-medium text-white shadow-panel animate-enter">
          <WifiOff aria-hidden size={16} />
          {t("ui.error.connectionLost")}
        </p>
      )}
    </div>
  );
}
