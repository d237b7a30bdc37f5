import { Eye } from "lucide-react";
import { useTranslation } from "react-i18next";
import { OfferNote } from "@/components/offer-note";
import { useUser } from "@/features/account/data";
import { layouts } from "@/lib/layout";
import { toast } from "@/lib/toast";
import { type Appearance, endPreview, usePreview } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";
import { schemeOf } from "@/theme/schemes";
import { useSaveAppearance } from "./data";

/** The current preview, on every screen, with buttons to save or end it. */
export default function PreviewBar() {
  const { t } = useTranslation();
  const audience = usePreview((state) => state.shown);
  const tried = usePreview((state) => state[state.shown]);
  const user = useUser();
  const company = useCompanyInfo((state) => state.company);
  const keep = useSaveAppearance();
  const layout = layouts.find((name) => name === (tried.layout ?? company.layout)) ?? "modern";
  const scheme = schemeOf(tried.scheme ?? company.color_scheme);
  const names = [
    ...(tried.layout === undefined ? [] : [t(`ui.settings.layouts.${layout}`)]),
    ...(tried.scheme === undefined ? [] : [t(`ui.settings.schemes.${scheme}`)]),
  ];
  const save = () => {
    const saved: Appearance = audience === "me" ? user : { layout: company.layout, scheme: company.color_scheme };
    const before = Object.fromEntries(Object.keys(tried).map((part) => [part, saved[part as keyof Appearance] ?? null]));
    keep.mutate(
      { audience, appearance: tried },
      {
        onSuccess: () => {
          endPreview(audience);
          toast.success(t(audience === "me" ? "ui.settings.keptForMe" : "ui.settings.keptForCompany"), {
            label: t("ui.action.undo"),
            run: () => keep.mutateAsync({ audience, appearance: before }),
          });
        },
      },
    );
  };
  return (
    <section aria-label={t("ui.settings.trying")} className="max-w-full">
      <OfferNote
        icon={Eye}
        decline={t("ui.settings.takeBack")}
        onDecline={() => endPreview(audience)}
        accept={t(audience === "me" ? "ui.settings.keepForMe" : "ui.settings.keepForCompany")}
        onAccept={save}
        busy={keep.isPending}
      >
        <p role="status" className="min-w-0">
          <span className="text-gray-300">{t("ui.settings.trying")}</span> <b className="font-semibold">{names.join(" · ")}</b>
        </p>
      </OfferNote>
    </section>
  );
}
