import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Card } from "@/components/card";
import { StatusPill } from "@/components/status-pill";
import { ago, longDate } from "@/lib/format";
import { pagesQuery } from "./data";
import { PageIcon } from "./page-icon";

/** Recently changed pages, while no page is selected. */
export function PagesOverview() {
  const { t } = useTranslation();
  const { data = [] } = useQuery(pagesQuery);
  const latest = [...data].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt)).slice(0, 10);
  if (latest.length === 0) return null;
  return (
    <Card flush title={t("ui.pages.latest")} subtitle={t("ui.pages.latestLead")}>
      <ul className="border-t border-line">
        {latest.map((page) => (
          <li key={page.id} className="relative flex items-center gap-3 border-b border-hover px-5 py-3 last:border-0 hover:bg-sunken">
            <PageIcon icon={page.icon} />
            <Link
              to={`/pages/${page.id}`}
              dir="auto"
              className="min-w-0 flex-1 truncate font-medium text-ink outline-none after:absolute after:inset-0 after:content-[''] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary"
            >
              {page.title || t("ui.pages.untitled")}
            </Link>
            {page.status === "draft" && <StatusPill tone="off">{t("ui.pages.statuses.draft")}</StatusPill>}
            <time dateTime={page.updatedAt} title={longDate(page.updatedAt)} className="shrink-0 text-sm text-muted">
              {ago(page.updatedAt)}
            </time>
          </li>
        ))}
      </ul>
    </Card>
  );
}
