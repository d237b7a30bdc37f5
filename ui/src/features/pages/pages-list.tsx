import { useQuery } from "@tanstack/react-query";
import { FolderTree } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { KnowledgePage } from "@/api/schema";
import { ButtonLink } from "@/components/button-link";
import { Pager } from "@/components/pager";
import { StatusPill } from "@/components/status-pill";
import { useMay } from "@/features/account/data";
import { ListScreen } from "@/features/lists/list-screen";
import { ListTable } from "@/features/lists/list-table";
import { useList } from "@/features/lists/use-list";
import { useSelection } from "@/features/lists/use-selection";
import { ago, formatNumber } from "@/lib/format";
import { usePaging } from "@/lib/use-paging";
import { usePageColumns } from "./columns";
import { pageListQuery, pageSize, pagesQuery } from "./data";
import { PageIcon } from "./page-icon";
import { useNewPage } from "./use-new-page";

/** All pages as a list. */
export function PagesList() {
  const { t } = useTranslation();
  const mayWrite = useMay("pages.write");
  const { make } = useNewPage();
  const { data: all = [] } = useQuery(pagesQuery);
  const paging = usePaging(pageSize, {});
  const list = useList<KnowledgePage>({ kind: "page", columns: usePageColumns(), order: "-updatedAt", address: paging });
  const query = useQuery({ ...pageListQuery({ ...list.request, cursor: paging.cursor }), enabled: list.mayRead });
  const page = list.isKnown ? query.data : undefined;
  const { items = [], total = 0 } = page ?? {};
  const selection = useSelection(list, items);
  const hasSubpages = selection.isAll || all.some(({ parentId }) => parentId && selection.ids.includes(parentId));
  return (
    <ListScreen
      kind="page"
      list={list}
      page={page}
      query={query}
      lead={t(list.isFiltered ? "ui.pages.found" : "ui.pages.count", { count: total, total: formatNumber(total) })}
      isEmpty={items.length === 0}
      onNew={() => make()}
      actions={
        <ButtonLink to="/pages" icon={FolderTree}>
          {t("ui.pages.asTree")}
        </ButtonLink>
      }
      selection={selection}
      deleteText={hasSubpages ? t("ui.pages.subpagesMove") : undefined}
    >
      <ListTable
        list={list}
        label={t("ui.pages.title")}
        titleLabel={t("ui.pages.titleField")}
        titleSort="title"
        records={items}
        selection={mayWrite ? selection : undefined}
        to={(one) => `/pages/${one.id}`}
        title={(one) => ({ name: one.title || t("ui.pages.untitled"), icon: <PageIcon icon={one.icon} /> })}
        card={(one) => (
          <>
            {one.status === "draft" && <StatusPill tone="off">{t("ui.pages.statuses.draft")}</StatusPill>}
            <span>{t("ui.pages.changed", { ago: ago(one.updatedAt) })}</span>
          </>
        )}
      />
      {page && <Pager list={page} paging={paging} />}
    </ListScreen>
  );
}
