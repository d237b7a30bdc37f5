import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { useLive } from "@/api/live";

function watchNetwork(update: () => void) {
  addEventListener("online", update);
  addEventListener("offline", update);
  return () => {
    removeEventListener("online", update);
    removeEventListener("offline", update);
  };
}

/** Whether the device is offline. */
export const useOffline = () => useSyncExternalStore(watchNetwork, () => navigator.onLine === false);

/** Shows a banner while the server cannot be reached. */
export function ConnectionBanner() {
  const { t } = useTranslation();
  const reachable = useLive((state) => state.reachable);
  const offline = useOffline();
  return (
    <div role="status" className="max-w-full">
      {(offline || !reachable) && (
        <p className="flex items-center gap-2.5 rounded-xl bg-gray-900 px-4 py-2.5 font-medium text-white shadow-panel animate-enter">
          <WifiOff aria-hidden size={18} className="text-primary-300" />
          {t(offline ? "ui.error.offline" : "ui.error.connectionLost")}
        </p>
      )}
    </div>
  );
}
