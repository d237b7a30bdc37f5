import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Link, Navigate, NavLink, useParams } from "react-router";
import { ErrorState } from "@/components/error-state";
import { Column, Page } from "@/components/page";
import { SkeletonRows } from "@/components/skeleton";
import { cx } from "@/lib/cx";
import { helpHome } from "@/lib/links";
import { useTitle } from "@/shell/use-title";
import { topics } from "./contents";
import { guidesQuery } from "./data";
import type { Guide } from "./guide";
import { Markdown } from "./markdown";
import { Reading } from "./reading";

/** The list of all guides at the side. */
function Contents({ guides }: { guides: Guide[] }) {
  const { t } = useTranslation();
  return (
    <nav aria-label={t("ui.help.contents")} className="no-print sticky top-20 max-h-[calc(100dvh-6rem)] overflow-y-auto pb-4 max-md:hidden">
      {topics.map((topic) => (
        <section key={topic} className="not-first:mt-4">
          <h2 className="px-3 pb-1 text-xs font-semibold text-muted">{t(`ui.help.topics.${topic}`)}</h2>
          <ul>
            {guides
              .filter((guide) => guide.topic === topic)
              .map(({ path, title }) => (
                <li key={path}>
                  <NavLink
                    to={`/docs/guides/${path}`}
                    className={({ isActive }) =>
                      cx(
                        "block rounded-lg px-3 py-1.5",
                        isActive ? "bg-tint font-medium text-on-tint" : "text-soft hover:bg-hover hover:text-ink",
                      )
                    }
                  >
                    {title}
                  </NavLink>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

function Neighbour({ guide, next }: { guide: Guide | undefined; next?: boolean }) {
  const { t } = useTranslation();
  if (!guide) return <span />;
  return (
    <Link
      to={`/docs/guides/${guide.path}`}
      className={cx(
        "flex min-w-0 items-center gap-3 rounded-xl border border-line bg-surface px-4 py-3 shadow-card hover:bg-hover",
        next && "justify-end text-right",
      )}
    >
      {!next && <ChevronLeft aria-hidden size={18} className="text-muted" />}
      <span className="min-w-0">
        <span className="block text-xs text-muted">{t(next ? "ui.help.next" : "ui.help.previous")}</span>
        <span className="block font-medium text-ink">{guide.title}</span>
      </span>
      {next && <ChevronRight aria-hidden size={18} className="text-muted" />}
    </Link>
  );
}

/** One guide. */
export function GuidePage() {
  const { t, i18n } = useTranslation();
  const path = (useParams()["*"] ?? "").replace(/\/$/, "");
  const { data, error, refetch } = useQuery(guidesQuery(i18n.language));
  const at = data?.findIndex((guide) => guide.path === path) ?? -1;
  const guide = data?.[at];
  useTitle(guide?.title ?? t("ui.help.title"));
  if (data && !guide) return <Navigate to={helpHome} replace />;
  return (
    <Page>
      <div className="grid grid-cols-1 items-start gap-8 md:grid-cols-[14rem_minmax(0,1fr)]">
        {data ? <Contents guides={data} /> : <div />}
        <Column>
          <Reading>
            {guide ? (
              <>
                <h1 className="mb-5 text-2xl font-title tracking-[-.022em] text-ink">{guide.title}</h1>
                <Markdown text={guide.text} className="text-[15px] leading-6.5" />
              </>
            ) : error ? (
              <ErrorState error={error} onRetry={() => void refetch()} />
            ) : (
              <SkeletonRows rows={8} />
            )}
          </Reading>
          <div className="no-print mt-4 grid gap-3 sm:grid-cols-2">
            <Neighbour guide={data?.[at - 1]} />
            <Neighbour guide={data?.[at + 1]} next />
          </div>
        </Column>
      </div>
    </Page>
  );
}
