import { useTranslation } from "react-i18next";
import { useLoading } from "@/lib/loading";

/** A bar of three pixels at the top of the page during requests. */
export function LoadingBar() {
  const { t } = useTranslation();
  const { visible, progress } = useLoading();
  if (!visible) return null;
  return (
    <div
      id="loading-bar"
      role="progressbar"
      aria-label={t("ui.shell.loading")}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={progress}
      className="no-print pointer-events-none fixed inset-x-0 top-0 z-[999] h-0.75 overflow-hidden animate-[fade_.15s_.12s_both]"
    >
      {progress === undefined ? (
        <div className="h-full w-2/5 rounded-full bg-primary-500 animate-sweep" />
      ) : (
        <div className="h-full rounded-r-full bg-primary-500 transition-[width] duration-200" style={{ width: `${progress}%` }} />
      )}
    </div>
  );
}
