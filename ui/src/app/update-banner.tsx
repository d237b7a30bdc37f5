import { Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { OfferNote } from "@/components/offer-note";
import { loadCompanyInfo } from "@/features/company-info/data";
import { useCompanyInfo } from "@/shell/company-info";

/** Milliseconds between two checks of the server's version; a restored connection also checks it. */
const checkIntervalMs = 15 * 60_000;

/**
 * Offers the server's newer interface. A reload loses no input: it is saved, kept as a draft, or the member is asked.
 */
export function UpdateBanner() {
  const { t } = useTranslation();
  const { front, offered } = useCompanyInfo();
  const [dismissed, setDismissed] = useState("");
  useEffect(() => {
    const check = () => {
      if (document.visibilityState === "visible") loadCompanyInfo().catch(() => undefined);
    };
    const timer = setInterval(check, checkIntervalMs);
    return () => clearInterval(timer);
  }, []);
  const isNew = offered !== "" && offered !== front && offered !== dismissed;
  return (
    <div role="status" className="max-w-full">
      {isNew && (
        <OfferNote
          icon={Sparkles}
          decline={t("ui.update.later")}
          onDecline={() => setDismissed(offered)}
          accept={t("ui.update.reload")}
          onAccept={() => location.reload()}
        >
          <p className="min-w-0 font-medium">{t("ui.update.ready", { version: offered })}</p>
        </OfferNote>
      )}
    </div>
  );
}
