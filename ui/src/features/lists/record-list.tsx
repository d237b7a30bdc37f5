import { useQuery } from "@tanstack/react-query";
import type { ParseKeys } from "i18next";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { type To, useParams } from "react-router";
import type { RecordOf } from "@/api/schema";
import { Pager } from "@/components/pager";
import type { RecordTableProps } from "@/components/record-table";
import { useMay } from "@/features/account/data";
import { formatNumber } from "@/lib/format";
import { usePaging } from "@/lib/use-paging";
import { pageSize, recordsQuery } from "@/records/data";
import { type CreatedKind, pathOfKind, recordKinds } from "@/records/kinds";
import type { ListColumn } from "@/records/list/columns";
import { ListScreen, type ListScreenProps } from "./list-screen";
import { ListTable } from "./list-table";
import { type AnyList, type Narrowing, useList } from "./use-list";
import { type Selection, useSelection } from "./use-selection";

/** A kind that has the texts of a list page: `ui.<name>.count` and `ui.<name>.found`. */
export type ListedKind = {
  [K in CreatedKind]: `ui.${(typeof recordKinds)[K]["name"]}.${"count" | "found"}` extends ParseKeys ? K : never;
}[CreatedKind];

export interface RecordListProps<K extends ListedKind> {
  kind: K;
  /** The columns of the kind; the first one is the title of a record. */
  columns: ListColumn<RecordOf<K>>[];
  /** The order unless another is chosen, as the server writes it. */
  order: string;
  /** The filters unless others are chosen. */
  filters?: string[];
  /** Whether the choices of the columns are known; without it, they are. */
  hasChoices?: boolean;
  /** Parameters of older links with one value, and the columns that they filter. */
  aliases?: Record<string, string>;
  /** What the screen's own controls narrow the list to. */
  narrowing?: Narrowing;
  /** Returns the sentence below the title; without it, the number of records. */
  lead?: (list: AnyList, total: number) => string;
  /** The content beside the link in the first column and on the card. */
  title: RecordTableProps<RecordOf<K>>["title"];
  /** The content below the title on phones. */
  card: (record: RecordOf<K>) => ReactNode;
  /** The address of a record; without it, the record opens beside the list. */
  to?: (record: RecordOf<K>) => To;
  /** Creates a record at once; without it, a form opens. */
  onNew?: () => void;
  /** Returns further actions beside the button for a new record. */
  actions?: (list: AnyList) => ReactNode;
  /** Further actions of an empty list. */
  emptyActions?: ReactNode;
  /** The tabs below the title. */
  tabs?: ReactNode;
  /** What is between the bar and the rows. */
  above?: (list: AnyList) => ReactNode;
  /** The text of an empty list; without it, the one of the kind. */
  emptyText?: string;
  /** Returns what is shown when nothing matches; without it, that nothing matches. */
  noMatch?: (list: AnyList) => ListScreenProps["noMatch"];
  /** The screen's own controls beside the search. */
  controls?: (list: AnyList) => ReactNode;
  /** Those of them that are items of the menu on phones. */
  menu?: (list: AnyList) => ReactNode;
  /** Returns what is shown instead of the table. */
  body?: ((list: AnyList) => ReactNode) | undefined;
  /** Returns what deleting the selected records does to other ones. */
  deleteText?: (selection: Selection) => string | undefined;
}

/** The list of a kind of record, page by page. */
export function RecordList<K extends ListedKind>(props: RecordListProps<K>) {
  const { kind, columns, order, filters, hasChoices, aliases, narrowing, ...more } = props;
  const { lead, title, card, to, actions, controls, menu, above, noMatch, body, deleteText, ...screen } = more;
  const { t } = useTranslation();
  const { id: current } = useParams();
  const { name } = recordKinds[kind];
  const mayWrite = useMay(`${name}.write`);
  const paging = usePaging(pageSize, {});
  const list = useList<RecordOf<K>>({
    kind,
    columns,
    order,
    address: paging,
    ...(filters && { filters }),
    ...(hasChoices !== undefined && { hasChoices }),
    ...(aliases && { aliases }),
    narrowing,
  });
  const query = useQuery({ ...recordsQuery(kind, { ...list.request, cursor: paging.cursor }), enabled: list.mayRead });
  const page = list.isKnown ? query.data : undefined;
  const { items = [], total = 0 } = page ?? {};
  const selection = useSelection(list, items);
  const table = (
    <>
      <ListTable
        list={list}
        label={t(`ui.${name}.title`)}
        titleLabel={columns[0]?.label ?? ""}
        {...(columns[0] && { titleSort: columns[0].id })}
        records={items}
        selection={mayWrite ? selection : undefined}
        current={current}
        to={to ?? (({ id }) => `${pathOfKind(kind)}/${id}${list.addressText}`)}
        title={title}
        card={card}
      />
      {page && <Pager list={page} paging={paging} />}
    </>
  );
  return (
    <ListScreen
      {...screen}
      kind={kind}
      list={list}
      page={page}
      query={query}
      lead={lead?.(list, total) ?? t(`ui.${name}.${list.isFiltered ? "found" : "count"}`, { count: total, total: formatNumber(total) })}
      isEmpty={items.length === 0}
      noMatch={noMatch?.(list)}
      actions={actions?.(list)}
      controls={controls?.(list)}
      menu={menu?.(list)}
      above={above?.(list)}
      selection={selection}
      deleteText={deleteText?.(selection)}
    >
      {body ? body(list) : table}
    </ListScreen>
  );
}
