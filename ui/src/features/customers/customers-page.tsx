import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useParams } from "react-router";
import type { Customer } from "@/api/schema";
import { Avatar } from "@/components/avatar";
import { Pager } from "@/components/pager";
import { TagList } from "@/components/tag-list";
import { useMay } from "@/features/account/data";
import { ListScreen } from "@/features/lists/list-screen";
import { ListTable } from "@/features/lists/list-table";
import { useList } from "@/features/lists/use-list";
import { useSelection } from "@/features/lists/use-selection";
import { formatNumber } from "@/lib/format";
import { usePaging } from "@/lib/use-paging";
import { useCustomerColumns } from "./columns";
import { customersQuery, pageSize } from "./data";
import { CustomerStatus } from "./status";

/** Parameters of older links, and the columns that they filter. */
const aliases = { status: "status", tag: "tags", owner: "ownerId" };

/** The list of customers, page by page. */
export function CustomersPage() {
  const { t } = useTranslation();
  const { id: current } = useParams();
  const mayWrite = useMay("customers.write");
  const paging = usePaging(pageSize, {});
  const list = useList<Customer>({ kind: "customer", columns: useCustomerColumns(), order: "name", address: paging, aliases });
  const query = useQuery({ ...customersQuery({ ...list.request, cursor: paging.cursor }), enabled: list.mayRead });
  const page = list.isKnown ? query.data : undefined;
  const { items = [], total = 0 } = page ?? {};
  const selection = useSelection(list, items);
  return (
    <ListScreen
      kind="customer"
      list={list}
      page={page}
      query={query}
      lead={t(list.isFiltered ? "ui.customers.found" : "ui.customers.lead", { count: total, total: formatNumber(total) })}
      isEmpty={items.length === 0}
      selection={selection}
    >
      <ListTable
        list={list}
        label={t("ui.customers.title")}
        titleLabel={t("ui.customers.name")}
        titleSort="name"
        records={items}
        selection={mayWrite ? selection : undefined}
        current={current}
        to={(one) => `/customers/${one.id}${list.addressText}`}
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
      />
      {page && <Pager list={page} paging={paging} />}
    </ListScreen>
  );
}
