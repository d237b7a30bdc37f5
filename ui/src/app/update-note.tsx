import { Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "@/components/button";
import { loadVersion } from "@/features/version/data";
import { useVersion } from "@/lib/version";

/** Milliseconds between two looks at the server's version; a lost connection that is mended looks as well. */
const every = 15 * 60_000;

/** Offers the server's newer interface. Reloading loses nothing: what is being typed is saved, kept as a draft, or asked about. */
export function UpdateNote() {
  const { t } = useTranslation();
  const { front, offered } = useVersion();
  const [later, setLater] = useState("");
  useEffect(() => {
    const look = () => {
      if (document.visibilityState === "visible") loadVersion().catch(() => undefined);
    };
    const timer = setInterval(look, every);
    return () => clearInterval(timer);
  }, []);
  const isNew = offered !== "" && offered !== front && offered !== later;
  return (
    <div role="status" className="max-w-full">
      {isNew && (
        <div className="pointer-events-auto flex max-w-full flex-wrap items-center gap-x-5 gap-y-2 rounded-xl bg-gray-900 py-2.5 pr-2.5 pl-4 text-white shadow-panel animate-enter">
          <p className="flex min-w-0 items-center gap-2.5 font-medium">
            <Sparkles aria-hidden size={18} className="text-primary-300" />
            {t("ui.update.ready", { version: offered })}
          </p>
          <span className="flex gap-2 max-sm:w-full">
            <Button
              size="sm"
              variant="ghost"
              className="max-sm:flex-1 !text-gray-200 hover:!bg-white/10 focus-visible:outline-white"
              onClick={() => setLater(offered)}
            >
              {t("ui.update.later")}
            </Button>
            <Button size="sm" variant="primary" className="max-sm:flex-1 focus-visible:outline-white" onClick={() => location.reload()}>
              {t("ui.update.reload")}
            </Button>
          </span>
        </div>
      )}
    </div>
  );
}
