import { useQuery } from "@tanstack/react-query";
import { Plus, SearchX, SquareUser } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useNavigate, useParams } from "react-router";
import type { Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Pager } from "@/components/pager";
import { SkeletonRows } from "@/components/skeleton";
import { TagList } from "@/components/tag-list";
import { useMay } from "@/features/account/data";
import { BulkBar } from "@/features/lists/bulk-bar";
import { ListBar } from "@/features/lists/list-bar";
import { ListTable } from "@/features/lists/list-table";
import { useList } from "@/features/lists/use-list";
import { useSelection } from "@/features/lists/use-selection";
import { cx } from "@/lib/cx";
import { formatNumber } from "@/lib/format";
import { useListKeys } from "@/lib/use-list-keys";
import { usePaging } from "@/lib/use-paging";
import { useTitle } from "@/shell/use-title";
import { useCustomerColumns } from "./columns";
import { customersQuery, pageSize } from "./data";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

/** The list of customers, page by page. */
export function CustomersPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: current } = useParams();
  const mayWrite = useMay("customers.write");
  const paging = usePaging(pageSize, {});
  const list = useList<Customer>({ kind: "customer", columns: useCustomerColumns(), order: "name", address: paging, aliases });
  const rows = useRef<HTMLDivElement>(null);
  useTitle(t("ui.customers.title"));

  const { isFiltered } = list;
  const query = { ...list.request, cursor: paging.cursor };
  const { data: read, error, refetch, isPlaceholderData } = useQuery({ ...customersQuery(query), enabled: list.mayRead });
  const data = list.isKnown ? read : undefined;

  const selection = useSelection(list, data?.items ?? []);

  const make = () => navigate(`/customers/new${paging.search}`, { preventScrollReset: true });
  useListKeys(rows, mayWrite ? make : undefined);

  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} className="p-5" />;
    if (data.items.length === 0) {
      return isFiltered ? (
        <EmptyState
          icon={SearchX}
          title={t("ui.list.noMatch")}
          text={t("ui.list.noMatchText")}
          action={<Button onClick={list.clear}>{t("ui.list.clearFilters")}</Button>}
        />
      ) : (
        <EmptyState
          icon={SquareUser}
          title={t("ui.customers.empty")}
          text={t("ui.customers.emptyText")}
          action={
            mayWrite && (
              <ButtonLink to="/customers/new" variant="primary" icon={Plus}>
                {t("ui.customers.add")}
              </ButtonLink>
            )
          }
        />
      );
    }
    return (
      <>
        <ListTable
          list={list}
          label={t("ui.customers.title")}
          titleLabel={t("ui.customers.name")}
          titleSort="name"
          records={data.items}
          selection={mayWrite ? selection : undefined}
          current={current}
          to={(one) => `/customers/${one.id}${paging.search}`}
          title={(one) => ({
            name: one.name,
            line: [one.details.company, one.details.title].filter(Boolean).join(" · ") || undefined,
            icon: <Avatar name={one.name} src={one.avatar} size={34} />,
          })}
          card={(one) => (
            <>
              <CustomerStatus status={one.status} />
              <TagList tags={one.tags} />
              {one.details.emails[0] && (
                <a href={`mailto:${one.details.emails[0].email}`} className="min-w-0 truncate">
                  {one.details.emails[0].email}
                </a>
              )}
            </>
          )}
          className={cx("transition-opacity duration-150", isPlaceholderData && "opacity-60")}
        />
        <Pager list={data} paging={paging} />
      </>
    );
  };

  return (
    <Page width="wide">
      <PageHead
        title={t("ui.customers.title")}
        lead={
          data ? (
            t(isFiltered ? "ui.customers.found" : "ui.customers.lead", { count: data.total, total: formatNumber(data.total) })
          ) : (
            <span className="invisible">{t("ui.customers.title")}</span>
          )
        }
        actions={
          mayWrite && (
            <ButtonLink to={`/customers/new${paging.search}`} preventScrollReset variant="primary" icon={Plus}>
              {t("ui.customers.add")}
            </ButtonLink>
          )
        }
      />
      <Card flush>
        <ListBar list={list} searchLabel={t("ui.customers.search")} />
        <div ref={rows}>{content()}</div>
        <BulkBar list={list} selection={selection} total={data?.total ?? 0} />
      </Card>
      <Outlet />
    </Page>
  );
}
