import { useQuery } from "@tanstack/react-query";
import { FolderTree } from "lucide-react";
import { useTranslation } from "react-i18next";
import { ButtonLink } from "@/components/button-link";
import { StatusPill } from "@/components/status-pill";
import { RecordList } from "@/features/lists/record-list";
import { ago } from "@/lib/format";
import { usePageColumns } from "./columns";
import { pagesQuery } from "./data";
import { PageIcon } from "./page-icon";
import { useNewPage } from "./use-new-page";

/** All pages as a list. */
export function PagesList() {
  const { t } = useTranslation();
  const { make } = useNewPage();
  const { data: all = [] } = useQuery(pagesQuery);
  return (
    <RecordList
      kind="page"
      columns={usePageColumns()}
      order="-updatedAt"
      onNew={() => make()}
      actions={() => (
        <ButtonLink to="/pages" icon={FolderTree}>
          {t("ui.pages.asTree")}
        </ButtonLink>
      )}
      deleteText={({ isAll, ids }) => {
        const hasSubpages = isAll || all.some(({ parentId }) => parentId && ids.includes(parentId));
        return hasSubpages ? t("ui.pages.subpagesMove") : undefined;
      }}
      to={(one) => `/pages/${one.id}`}
      title={(one) => ({ name: one.title || t("ui.pages.untitled"), icon: <PageIcon icon={one.icon} /> })}
      card={(one) => (
        <>
          {one.status === "draft" && <StatusPill tone="off">{t("ui.pages.statuses.draft")}</StatusPill>}
          <span>{t("ui.pages.changed", { ago: ago(one.updatedAt) })}</span>
        </>
      )}
    />
  );
}
