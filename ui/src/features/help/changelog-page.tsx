import { useQuery } from "@tanstack/react-query";
import { BookOpen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Alert } from "@/components/alert";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { SkeletonRows } from "@/components/skeleton";
import { helpHome } from "@/lib/links";
import { useTitle } from "@/lib/use-title";
import { useVersion } from "@/lib/version";
import { changelogQuery } from "./data";
import { Markdown } from "./markdown";

/** What changed from version to version, as the project itself tells it. */
export function ChangelogPage() {
  const { t, i18n } = useTranslation();
  const front = useVersion((state) => state.front);
  const { data, error, refetch } = useQuery(changelogQuery);
  useTitle(t("ui.help.changelog"));
  return (
    <Page width="narrow">
      <p className="no-print mb-3 text-sm">
        <Link to={helpHome} className="inline-flex items-center gap-1.5 text-muted hover:text-ink hover:underline">
          <BookOpen aria-hidden size={16} />
          {t("ui.help.title")}
        </Link>
      </p>
      <article className="rounded-2xl border border-line bg-surface px-5 py-7 shadow-card sm:px-10 sm:py-10 print:border-0 print:shadow-none">
        <h1 className="text-2xl font-title tracking-[-.022em] text-ink">{t("ui.help.changelog")}</h1>
        <p className="mt-1 mb-6 text-muted">{t("ui.help.running", { version: front })}</p>
        {i18n.language !== "en" && (
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
      </article>
    </Page>
  );
}
