import { FileInput, type LucideIcon, Plus, SearchX } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useNavigate } from "react-router";
import { Alert } from "@/components/alert";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { SkeletonRows } from "@/components/skeleton";
import { useMay } from "@/features/account/data";
import { SampleDataButton } from "@/features/setup/sample-data-button";
import { cx } from "@/lib/cx";
import { useListKeys } from "@/lib/use-list-keys";
import { type CreatedKind, openedState, pathOfKind, recordKinds } from "@/records/kinds";
import { TagFilterContext } from "@/records/tags";
import { useTitle } from "@/shell/use-title";
import { BulkBar } from "./bulk-bar";
import { ListBar } from "./list-bar";
import { useImportPath } from "./list-menu";
import type { AnyList } from "./use-list";
import type { Selection } from "./use-selection";

export interface ListScreenProps {
  kind: CreatedKind;
  list: AnyList;
  /** The first page of records; undefined until it is known. */
  page: { items: unknown[]; total: number; partial?: boolean } | undefined;
  /** The query that reads it. */
  query: { error: unknown; refetch: () => unknown; isPlaceholderData: boolean };
  /** A sentence below the title with the number of records. */
  lead: ReactNode;
  isEmpty: boolean;
  /** What is shown when nothing matches; without it, that nothing matches. */
  noMatch?: { icon: LucideIcon; title: string; text: string; clear: string } | undefined;
  /** The text of an empty list; without it, the one of the kind. */
  emptyText?: string;
  /** Creates a record on the screen itself; without it, a form opens. */
  onNew?: () => void;
  /** Further actions beside the button for a new record. */
  actions?: ReactNode;
  /** Further actions of an empty list. */
  emptyActions?: ReactNode;
  /** The screen's own controls beside the search. */
  controls?: ReactNode;
  /** Those of them that are items of the menu on phones. */
  menu?: ReactNode;
  /** The tabs below the title. */
  tabs?: ReactNode;
  /** What is between the bar and the rows. */
  above?: ReactNode;
  selection?: Selection;
  /** What deleting the selected records does to other ones. */
  deleteText?: string | undefined;
  /** The rows, and what leads to further ones. */
  children: ReactNode;
}

/** The screen of a list of records: its head, views, search and filters, all its states, bulk changes and keys. */
export function ListScreen(props: ListScreenProps) {
  const {
    kind,
    list,
    page,
    query,
    lead,
    isEmpty,
    noMatch,
    emptyText,
    onNew,
    actions,
    emptyActions,
    controls,
    menu,
    tabs,
    above,
    selection,
    deleteText,
    children,
  } = props;
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { name, icon } = recordKinds[kind];
  const mayWrite = useMay(`${name}.write`);
  const importing = useImportPath(kind);
  const rows = useRef<HTMLDivElement>(null);
  const form = `${pathOfKind(kind)}/new${list.addressText}`;
  useTitle(t(`ui.${name}.title`));
  useListKeys(rows, mayWrite ? (onNew ?? (() => navigate(form, { preventScrollReset: true, state: openedState }))) : undefined);

  const formLink = mayWrite && !onNew && (
    <ButtonLink to={form} state={openedState} preventScrollReset variant="primary" icon={Plus}>
      {t(`ui.${name}.add`)}
    </ButtonLink>
  );
  const content = () => {
    if (!page)
      return query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <SkeletonRows rows={8} className="p-5" />
      );
    if (!isEmpty) return children;
    if (!list.isFiltered && !noMatch) {
      const action = (emptyActions || importing || formLink) && (
        <div className="flex flex-wrap justify-center gap-2">
          {emptyActions}
          {importing && (
            <ButtonLink to={importing} icon={FileInput}>
              {t("ui.list.import")}
            </ButtonLink>
          )}
          {importing && <SampleDataButton />}
          {formLink}
        </div>
      );
      return <EmptyState icon={icon} title={t(`ui.${name}.empty`)} text={emptyText ?? t(`ui.${name}.emptyText`)} action={action} />;
    }
    const { clear = t("ui.list.clearFilters"), ...state } = noMatch ?? {
      icon: SearchX,
      title: t("ui.list.noMatch"),
      text: t("ui.list.noMatchText"),
    };
    return <EmptyState {...state} action={<Button onClick={list.clear}>{clear}</Button>} />;
  };
  return (
    <Page>
      <PageHead
        title={t(`ui.${name}.title`)}
        lead={page ? lead : <span className="invisible">{t(`ui.${name}.title`)}</span>}
        actions={
          mayWrite && (
            <>
              {actions}
              {formLink || (
                <Button variant="primary" icon={Plus} onClick={onNew} {...(above && { className: "max-sm:hidden" })}>
                  {t(`ui.${name}.add`)}
                </Button>
              )}
            </>
          )
        }
      />
      {tabs}
      <Card flush>
        <ListBar list={list} searchLabel={t(`ui.${name}.search`)} menu={menu}>
          {controls}
        </ListBar>
        {page?.partial && (
          <Alert kind="info" className="m-4">
            {t("ui.search.partial")}
          </Alert>
        )}
        {above}
        <div ref={rows} className={cx("transition-opacity duration-150", query.isPlaceholderData && "opacity-60")}>
          <TagFilterContext value={list.filterByTag}>{content()}</TagFilterContext>
        </div>
        {selection && <BulkBar list={list} selection={selection} total={page?.total ?? 0} deleteText={deleteText} />}
      </Card>
      <Outlet />
    </Page>
  );
}
