import { useQuery } from "@tanstack/react-query";
import { Building2, ChevronRight, type LucideIcon, MessagesSquare, Rocket, SearchX, SquareCheckBig } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { readSearchParams, searchText } from "@/lib/search-params";
import { useTitle } from "@/shell/use-title";
import { type Topic, topics } from "./contents";
import { guidesQuery } from "./data";
import { type Guide, search } from "./guide";

const icons: Record<Topic, LucideIcon> = {
  "getting-started": Rocket,
  work: SquareCheckBig,
  together: MessagesSquare,
  company: Building2,
};

function GuideLink({ guide, line }: { guide: Guide; line?: string }) {
  return (
    <li>
      <Link
        to={`/docs/guides/${guide.path}`}
        className="flex items-center gap-3 rounded-lg px-3 py-2 text-body hover:bg-hover hover:text-ink"
      >
        <span className="min-w-0 flex-1">
          <span className="block font-medium">{guide.title}</span>
          {line && <span className="block truncate text-sm text-muted">{line}</span>}
        </span>
        <ChevronRight aria-hidden size={16} className="shrink-0 text-muted" />
      </Link>
    </li>
  );
}

function Results({ guides, query }: { guides: Guide[]; query: string }) {
  const { t } = useTranslation();
  const found = search(guides, query);
  if (found.length === 0) return <EmptyState icon={SearchX} title={t("ui.help.nothing")} text={t("ui.help.nothingText")} />;
  return (
    <ul className="grid grid-cols-1 gap-0.5">
      {found.map(({ guide, line }) => (
        <GuideLink key={guide.path} guide={guide} line={line} />
      ))}
    </ul>
  );
}

/** The help's start page: its guides by topic, and a search over all of them. */
export function HelpPage() {
  const { t, i18n } = useTranslation();
  const [params, setParams] = useSearchParams();
  const { data, error, refetch } = useQuery(guidesQuery(i18n.language));
  const query = readSearchParams(params, { q: searchText }).q ?? "";
  useTitle(t("ui.help.title"));
  const found = data && query.trim().length > 1 ? search(data, query).length : undefined;
  return (
    <Page>
      <div className="mx-auto max-w-4xl">
        <div className="mb-8 rounded-2xl bg-primary-950 bg-[radial-gradient(90%_120%_at_95%_0%,var(--primary-700),transparent_70%)] px-5 py-9 text-center text-white sm:px-10 sm:py-12">
          <h1 className="text-2xl font-title tracking-[-.022em] sm:text-3xl">{t("ui.help.ask")}</h1>
          <p className="mt-1.5 text-primary-200">{t("ui.help.lead")}</p>
          <SearchField
            label={t("ui.help.search")}
            value={query}
            onChange={(q) => setParams(q ? { q } : {}, { replace: true, preventScrollReset: true })}
            className="mx-auto mt-6 max-w-120 text-left text-body"
          />
        </div>
        <p role="status" className="sr-only">
          {found !== undefined && t("ui.help.found", { count: found })}
        </p>
        {!data ? (
          <Card>{error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={6} />}</Card>
        ) : found !== undefined ? (
          <Card className="!p-2.5">
            <Results guides={data} query={query} />
          </Card>
        ) : (
          <div className="grid gap-5 md:grid-cols-2">
            {topics.map((topic) => {
              const Icon = icons[topic];
              return (
                <Card key={topic} className="!px-2.5 !pb-2.5">
                  <h2 className="mb-2 flex items-center gap-2.5 px-3 text-lg font-bold tracking-[-.01em] text-ink">
                    <span className="grid size-9 place-items-center rounded-control bg-tint text-on-tint">
                      <Icon aria-hidden size={18} />
                    </span>
                    {t(`ui.help.topics.${topic}`)}
                  </h2>
                  <ul className="grid grid-cols-1 gap-0.5">
                    {data
                      .filter((guide) => guide.topic === topic)
                      .map((guide) => (
                        <GuideLink key={guide.path} guide={guide} />
                      ))}
                  </ul>
                </Card>
              );
            })}
          </div>
        )}
        <p className="mt-8 text-center text-sm text-muted">
          <Link to="/docs/changelog" className="text-accent hover:underline">
            {t("ui.help.changelog")}
          </Link>
        </p>
      </div>
    </Page>
  );
}
