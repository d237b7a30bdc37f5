import { useQuery } from "@tanstack/react-query";
import { CircleDot, Plus, SearchX, SquareUser, Tag as TagIcon, UserRound } from "lucide-react";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { Outlet, useNavigate, useParams } from "react-router";
import type { Customer, CustomerSort } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Button } from "@/components/button";
import { ButtonLink } from "@/components/button-link";
import { Card } from "@/components/card";
import { EmptyState } from "@/components/empty-state";
import { ErrorState } from "@/components/error-state";
import { FilterMenu } from "@/components/filter-menu";
import { Page } from "@/components/page";
import { PageHead } from "@/components/page-head";
import { Pager } from "@/components/pager";
import { type RecordColumn, RecordTable } from "@/components/record-table";
import { SearchField } from "@/components/search-field";
import { SkeletonRows } from "@/components/skeleton";
import { TagList } from "@/components/tag-list";
import { useMay } from "@/features/account/data";
import { useMembers } from "@/features/team/data";
import { Person } from "@/features/team/person";
import { phoneLink, phoneText } from "@/lib/countries";
import { cx } from "@/lib/cx";
import { ago, formatNumber, longDate } from "@/lib/format";
import { oneOf, recordId, searchText, textUpTo } from "@/lib/search-params";
import { useSearchText } from "@/lib/use-address";
import { useListKeys } from "@/lib/use-list-keys";
import { usePaging } from "@/lib/use-paging";
import { useTitle } from "@/shell/use-title";
import { customersQuery, customerTagsQuery, pageSize } from "./data";
import { CustomerStatus, statuses } from "./status";

const parsers = {
  q: searchText,
  status: oneOf(statuses),
  tag: textUpTo(50),
  owner: recordId,
  sort: oneOf<CustomerSort>(["name", "-name", "createdAt", "-createdAt", "updatedAt", "-updatedAt"]),
};

/** The list of customers, page by page. */
export function CustomersPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { id: current } = useParams();
  const mayWrite = useMay("customers.write");
  const paging = usePaging(pageSize, parsers);
  const { members } = useMembers();
  const { data: tags } = useQuery(customerTagsQuery);
  const list = useRef<HTMLDivElement>(null);
  useTitle(t("ui.customers.title"));

  const { filters, set } = paging;
  const { q, status, tag, owner: ownerId, sort = "name" } = filters;
  const filtered = Boolean(q || status || tag || ownerId);
  const { text, setText, clear: clearText } = useSearchText(q, set);
  const query = { q, status, tag, ownerId, sort, cursor: paging.cursor };
  const { data, error, refetch, isPlaceholderData } = useQuery(customersQuery(query));
  const clear = () => {
    clearText();
    set({ q: undefined, status: undefined, tag: undefined, owner: undefined });
  };

  const make = () => navigate(`/customers/new${paging.search}`, { preventScrollReset: true });
  useListKeys(list, mayWrite ? make : undefined);

  const columns: RecordColumn<Customer>[] = [
    { id: "status", label: t("ui.customers.status"), cell: (one) => <CustomerStatus status={one.status} /> },
    { id: "tags", label: t("ui.customers.tags"), cell: (one) => <TagList tags={one.tags} /> },
    {
      id: "email",
      label: t("ui.customers.email"),
      className: "@max-[1020px]:hidden max-w-66",
      cell: ({ details: { emails } }) =>
        emails[0] && (
          <a href={`mailto:${emails[0].email}`} className="block truncate hover:underline">
            {emails[0].email}
          </a>
        ),
    },
    {
      id: "phone",
      label: t("ui.customers.phone"),
      className: "@max-[1190px]:hidden whitespace-nowrap",
      cell: ({ details: { phoneNumbers } }) =>
        phoneNumbers[0] && (
          <a href={phoneLink(phoneNumbers[0])} className="hover:underline">
            {phoneText(phoneNumbers[0])}
          </a>
        ),
    },
    {
      id: "owner",
      label: t("ui.customers.owner"),
      className: "@max-[1340px]:hidden max-w-44",
      cell: (one) => <Person id={one.ownerId} />,
    },
    {
      id: "updated",
      label: t("ui.list.updated"),
      sort: "updatedAt",
      className: "whitespace-nowrap",
      cell: (one) => (
        <time dateTime={one.updatedAt} title={longDate(one.updatedAt)} className="text-muted">
          {ago(one.updatedAt)}
        </time>
      ),
    },
  ];

  const content = () => {
    if (!data) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <SkeletonRows rows={8} className="p-5" />;
    if (data.items.length === 0) {
      return filtered ? (
        <EmptyState
          icon={SearchX}
          title={t("ui.list.noMatch")}
          text={t("ui.list.noMatchText")}
          action={<Button onClick={clear}>{t("ui.list.clearFilters")}</Button>}
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
        <RecordTable
          label={t("ui.customers.title")}
          titleLabel={t("ui.customers.name")}
          titleSort="name"
          columns={columns}
          records={data.items}
          current={current}
          sort={sort}
          onSort={(next) => set({ sort: next === "name" ? undefined : next })}
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
            t(filtered ? "ui.customers.found" : "ui.customers.lead", { count: data.total, total: formatNumber(data.total) })
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
        <div role="search" className="flex flex-wrap gap-2 border-b border-line px-4 py-3.5">
          <SearchField label={t("ui.customers.search")} value={text} onChange={setText} className="w-full sm:w-60" />
          <FilterMenu
            icon={CircleDot}
            label={t("ui.customers.status")}
            value={status}
            onChange={(value) => set({ status: value })}
            options={statuses.map((value) => ({ value, label: t(`ui.customers.statuses.${value}`) }))}
          />
          {(tag || (tags && tags.length > 0)) && (
            <FilterMenu
              icon={TagIcon}
              label={t("ui.customers.tag")}
              value={tag}
              onChange={(value) => set({ tag: value })}
              options={[...new Set([...(tags ?? []), ...(tag ? [tag] : [])])].map((value) => ({ value, label: value }))}
            />
          )}
          <FilterMenu
            icon={UserRound}
            label={t("ui.customers.owner")}
            value={ownerId}
            onChange={(value) => set({ owner: value })}
            options={members.map((member) => ({
              value: member.id,
              label: member.name,
              icon: <Avatar name={member.name} src={member.avatar} size={24} />,
            }))}
          />
        </div>
        <div ref={list}>{content()}</div>
      </Card>
      <Outlet />
    </Page>
  );
}
