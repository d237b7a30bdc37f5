import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { Alert } from "@/components/alert";
import { Card } from "@/components/card";
import { ErrorState } from "@/components/error-state";
import { Segmented } from "@/components/segmented";
import { SkeletonRows } from "@/components/skeleton";
import { useMay, useUser } from "@/features/account/data";
import type { LayoutName } from "@/lib/layout";
import { oneOf, readSearchParams } from "@/lib/search-params";
import { type Appearance, type Audience, previewAppearance, usePreview } from "@/shell/appearance-preview";
import { useCompanyInfo } from "@/shell/company-info";
import { schemeOf, schemes } from "@/theme/schemes";
import { AppearanceChoice, SchemeDrawing } from "./appearance-choice";
import { companyQuery } from "./data";
import { LayoutDrawing } from "./layout-drawing";

/** Layouts with side navigation first, then those with it on top. */
const layoutGroups: LayoutName[][] = [
  ["classic", "classy", "compact", "dense", "futuristic", "thin"],
  ["centered", "enterprise", "material", "modern"],
  // Without navigation: last, so that it is not chosen by accident.
  ["empty"],
];
const layoutOf = (name: string) => layoutGroups.flat().find((layout) => layout === name) ?? "modern";

const grid = "grid grid-cols-2 gap-2.5 @min-[340px]:grid-cols-3 @min-[480px]:grid-cols-4";

interface ChoicesProps {
  audience: Audience;
  /** The saved values; null is the company's. */
  saved: { layout: string | null; scheme: string | null };
}

function Choices({ audience, saved }: ChoicesProps) {
  const { t } = useTranslation();
  const company = useCompanyInfo((state) => state.company);
  const tried = usePreview((state) => state[audience]);
  const [search, setSearch] = useSearchParams();
  const now = { ...saved, ...tried };
  const choose = (part: keyof Appearance, choice: string | null) => {
    // The address would override the preview.
    if (search.has("layout")) {
      search.delete("layout");
      setSearch(search, { replace: true });
    }
    previewAppearance(audience, part, choice, saved[part]);
  };
  const companyLayout = layoutOf(company.layout);
  const companyScheme = schemeOf(company.color_scheme);
  return (
    <>
      <fieldset>
        <legend className="mb-3 font-semibold text-ink">{t("ui.settings.layout")}</legend>
        <div className="@container grid gap-4">
          {audience === "me" && (
            <div className={grid}>
              <AppearanceChoice
                id="layout-company"
                group="layout"
                label={t("ui.settings.asCompany")}
                note={t(`ui.settings.layouts.${companyLayout}`)}
                checked={now.layout === null}
                onChoose={() => choose("layout", null)}
              >
                <LayoutDrawing layout={companyLayout} />
              </AppearanceChoice>
            </div>
          )}
          {layoutGroups.map((group) => (
            <div key={group[0]} className={grid}>
              {group.map((layout) => (
                <AppearanceChoice
                  key={layout}
                  id={`layout-${layout}`}
                  group="layout"
                  label={t(`ui.settings.layouts.${layout}`)}
                  checked={now.layout === layout}
                  onChoose={() => choose("layout", layout)}
                >
                  <LayoutDrawing layout={layout} />
                </AppearanceChoice>
              ))}
            </div>
          ))}
        </div>
        {now.layout === "empty" && (
          <Alert kind="info" className="mt-4">
            {t("ui.settings.emptyNote", { path: "/settings/appearance" })}
          </Alert>
        )}
      </fieldset>
      <fieldset className="mt-8">
        <legend className="mb-3 font-semibold text-ink">{t("ui.settings.scheme")}</legend>
        <div className="@container grid gap-4">
          {audience === "me" && (
            <div className={grid}>
              <AppearanceChoice
                id="scheme-company"
                group="scheme"
                label={t("ui.settings.asCompany")}
                note={t(`ui.settings.schemes.${companyScheme}`)}
                checked={now.scheme === null}
                onChoose={() => choose("scheme", null)}
              >
                <SchemeDrawing scheme={companyScheme} />
              </AppearanceChoice>
            </div>
          )}
          <div className={grid}>
            {schemes.map((scheme) => (
              <AppearanceChoice
                key={scheme}
                id={`scheme-${scheme}`}
                group="scheme"
                label={t(`ui.settings.schemes.${scheme}`)}
                checked={now.scheme === scheme}
                onChoose={() => choose("scheme", scheme)}
              >
                <SchemeDrawing scheme={scheme} />
              </AppearanceChoice>
            ))}
          </div>
        </div>
      </fieldset>
    </>
  );
}

function ForCompany() {
  const { t } = useTranslation();
  const user = useUser();
  const [noted, setNoted] = useState(false);
  const { data, error, refetch } = useQuery(companyQuery);
  if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={4} />;
  return (
    <>
      {(user.layout || user.scheme) && !noted && (
        <Alert kind="info" className="mb-6" onDismiss={() => setNoted(true)}>
          {t("ui.settings.ownChoiceNote")}
        </Alert>
      )}
      <Choices audience="company" saved={{ layout: data.layout, scheme: schemeOf(data.color_scheme) }} />
    </>
  );
}

/**
 * Layout and colours, previewed on the screen before they are saved: for the member, and with permission for the
 * company.
 */
export function AppearanceSection() {
  const { t } = useTranslation();
  const user = useUser();
  const mayCompany = useMay("settings.company");
  const [search, setSearch] = useSearchParams();
  const audience: Audience = mayCompany ? (readSearchParams(search, { for: oneOf<Audience>(["company"]) }).for ?? "me") : "me";
  return (
    <Card
      title={t("ui.settings.sections.appearance")}
      subtitle={t(audience === "me" ? "ui.settings.appearanceLead" : "ui.settings.appearanceCompanyLead")}
      className="sm:px-6 sm:py-6 [&>header]:mb-6"
      actions={
        mayCompany && (
          <Segmented
            label={t("ui.settings.audience")}
            value={audience}
            onChange={(next) => setSearch(next === "company" ? { for: next } : {}, { replace: true })}
            options={[
              { value: "me", label: t("ui.settings.forMe") },
              { value: "company", label: t("ui.settings.forCompany") },
            ]}
          />
        )
      }
    >
      {audience === "me" ? (
        <Choices key="me" audience="me" saved={{ layout: user.layout ?? null, scheme: user.scheme ?? null }} />
      ) : (
        <ForCompany />
      )}
    </Card>
  );
}
