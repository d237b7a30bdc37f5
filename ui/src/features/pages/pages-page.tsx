import { useQuery } from "@tanstack/react-query";
import { BookOpen, ListFilter, Plus } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, Outlet, useLocation, useNavigate, useParams } from "react-router";
import type { KnowledgePage } from "@/api/schema";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { IconButton } from "@/components/icon-button";
import { Page } from "@/components/page";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { cx } from "@/lib/cx";
import { fold } from "@/lib/fold";
import { useDebounced } from "@/lib/use-debounced";
import { useListKeys } from "@/lib/use-list-keys";
import { createState } from "@/records/kinds";
import { useTitle } from "@/shell/use-title";
import { pageSearchQuery, pagesQuery } from "./data";
import { PageIcon } from "./page-icon";
import { PageTree } from "./page-tree";
import { useNewPage } from "./use-new-page";

function Hits({ pages, text }: { pages: KnowledgePage[]; text: string }) {
  const { t } = useTranslation();
  const rested = useDebounced(text, 300);
  const { data = [], isFetching } = useQuery(pageSearchQuery(rested));
  const titled = pages.filter((page) => fold(page.title).includes(fold(text)));
  const found = [...titled, ...data.filter((hit) => !titled.some((page) => page.id === hit.id))].slice(0, 50);
  if (found.length === 0 && (text !== rested || isFetching)) return null;
  if (found.length === 0) return <p className="px-3 py-3 text-muted">{t("ui.list.noMatch")}</p>;
  return (
    <ul>
      {found.map((page) => (
        <li key={page.id}>
          <Link
            to={`/pages/${page.id}`}
            data-row
            className="flex min-h-9 items-center gap-2 rounded-lg px-2.5 text-soft hover:bg-hover hover:text-ink"
          >
            <PageIcon icon={page.icon} size={16} />
            <span dir="auto" className="truncate">
              {page.title || t("ui.pages.untitled")}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** The company's pages: a tree at the left, the page at the right. */
export function PagesPage() {
  const { t } = useTranslation();
  const { id: current } = useParams();
  const mayWrite = useMay("pages.write");
  const { data: pages, error, refetch } = useQuery(pagesQuery);
  const [text, setText] = useState("");
  const { make, isPending } = useNewPage();
  const list = useRef<HTMLDivElement>(null);
  useListKeys(list, mayWrite ? () => make() : undefined);
  useTitle(t("ui.pages.title"));
  const navigate = useNavigate();
  const asked = useLocation().state === createState;
  const started = useRef(false);
  useEffect(() => {
    // Once for each request: the address changes only after the next paint.
    if (asked && !started.current) {
      void navigate("/pages", { replace: true });
      make();
    }
    started.current = asked;
  }, [asked, navigate, make]);
  // Beside the tree there is no room for a page on phones: the tree makes way, with the row that had the focus.
  useEffect(() => {
    if (current && document.activeElement?.checkVisibility?.() === false) document.getElementById("content")?.focus();
  }, [current]);
  const sought = text.trim();
  return (
    <Page>
      <div className="grid grid-cols-1 items-start gap-6 md:grid-cols-[17rem_minmax(0,1fr)]">
        <aside
          aria-label={t("ui.pages.tree")}
          className={cx("md:sticky md:top-20 md:flex md:max-h-[calc(100dvh-6.5rem)] md:flex-col", current && "max-md:hidden")}
        >
          <div className="mb-3 flex items-start gap-2">
            <h1 tabIndex={-1} className="min-w-0 flex-1 truncate text-2xl font-title tracking-[-.022em] text-ink outline-none">
              {t("ui.pages.title")}
            </h1>
            {mayWrite && (
              <IconButton
                label={t("ui.pages.add")}
                icon={Plus}
                disabled={isPending}
                onClick={() => make()}
                className="-my-0.5 border border-line bg-surface shadow-control"
              />
            )}
          </div>
          <SearchField label={t("ui.pages.search")} value={text} onChange={setText} className="mb-2" />
          {pages && pages.length > 0 && (
            <ButtonLink to="/pages/list" size="sm" variant="ghost" icon={ListFilter} className="mb-1 shrink-0 justify-start!">
              {t("ui.pages.asList")}
            </ButtonLink>
          )}
          <div ref={list} className="min-h-0 flex-1 md:-mx-2 md:overflow-y-auto md:px-2 md:pb-2">
            {!pages ? (
              error ? (
                <ErrorState error={error} onRetry={() => void refetch()} />
              ) : (
                <SkeletonRows rows={5} className="p-2" />
              )
            ) : sought ? (
              <Hits pages={pages} text={sought} />
            ) : pages.length > 0 ? (
              <PageTree pages={pages} current={current} />
            ) : (
              <p className="px-1 py-2 text-muted max-md:hidden">{t("ui.pages.empty")}</p>
            )}
          </div>
        </aside>
        <div className={cx("min-w-0", !current && pages && pages.length > 0 && "max-md:hidden")}>
          {pages && pages.length === 0 && !current ? (
            <div className="rounded-2xl border border-line bg-surface shadow-card">
              <EmptyState
                icon={BookOpen}
                title={t("ui.pages.empty")}
                text={t("ui.pages.emptyText")}
                className="py-20"
                action={
                  mayWrite && (
                    <Button variant="primary" icon={Plus} busy={isPending} onClick={() => make()}>
                      {t("ui.pages.add")}
                    </Button>
                  )
                }
              />
            </div>
          ) : (
            <Outlet />
          )}
        </div>
      </div>
    </Page>
  );
}
