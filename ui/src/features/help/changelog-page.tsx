import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Alert } from "@/components/alert";
import { ErrorState } from "@/components/error-state";
import { Column, Page } from "@/components/page";
import { SkeletonRows } from "@/components/skeleton";
import { language } from "@/lib/locale";
import { useCompanyInfo } from "@/shell/company-info";
import { useTitle } from "@/shell/use-title";
import { changelogQuery } from "./data";
import { Markdown } from "./markdown";
import { Reading } from "./reading";

/** The project's changelog. */
export function ChangelogPage() {
  const { t } = useTranslation();
  const front = useCompanyInfo((state) => state.front);
  const { data, error, refetch } = useQuery(changelogQuery);
  useTitle(t("ui.help.changelog"));
  return (
    <Page>
      <Column>
        <Reading>
          <h1 className="text-2xl font-title tracking-[-.022em] text-ink">{t("ui.help.changelog")}</h1>
          <p className="mt-1 mb-6 text-muted">{t("ui.help.running", { version: front })}</p>
          {language() !== "en" && (
            <Alert kind="basic" look="border" className="mb-6">
              {t("ui.help.changelogEnglish")}
            </Alert>
          )}
          {data ? (
            <div lang="en">
              <Markdown text={data.replace(/^# .*\n/, "")} className="text-[15px] leading-6.5" />
            </div>
          ) : error ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <SkeletonRows rows={6} />
          )}
        </Reading>
      </Column>
    </Page>
  );
}
