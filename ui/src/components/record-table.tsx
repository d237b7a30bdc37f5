import { ArrowDown, ArrowUp } from "lucide-react";
import { createContext, type MouseEvent, type ReactNode, useContext } from "react";
import { useTranslation } from "react-i18next";
import { Link, type To, useNavigate } from "react-router";
import { cx } from "@/lib/cx";
import { onSpaceBar } from "@/lib/keys";
import { useAtLeast } from "@/lib/media";
import { useFirstRows } from "@/lib/use-first-rows";
import { openedState } from "@/records/kinds";
import { LargeCheckbox } from "./checkbox";
import { twoLinesOnPhones } from "./two-lines";

export interface RecordColumn<T> {
  id: string;
  label: string;
  /** The server's name for this sort order; without it, the column cannot be sorted. */
  sort?: string;
  cell: (record: T) => ReactNode;
  className?: string;
}

/** What a row begins with. */
interface RowTitle {
  name: string;
  line?: string | undefined;
  icon?: ReactNode;
  /** Whether the name is struck through. */
  isDone?: boolean;
  /** What the space bar does. */
  onSpace?: (() => void) | undefined;
  /** At the end of the first column of a table. */
  action?: ReactNode;
}

/** Records that are selected to be changed together. */
export interface RowSelection {
  has: (id: string) => boolean;
  /** Whether all records of the page are selected, some, or none. */
  page: "all" | "some" | "none";
  toggle: (id: string, isRange: boolean) => void;
  togglePage: () => void;
}

export interface RecordTableProps<T extends { id: string }> {
  label: string;
  columns: RecordColumn<T>[];
  records: T[];
  /** The address of a record's row. */
  to: (record: T) => To;
  /** The content beside the link in the first column and on the card. */
  title: (record: T) => RowTitle;
  titleLabel: string;
  titleSort?: string;
  /** The content below the name on phones. */
  card: (record: T) => ReactNode;
  /** `name`, or `-name` for descending. */
  sort?: string | undefined;
  onSort?: (sort: string) => void;
  /** The selected records; without it, none can be selected. */
  selection?: RowSelection | undefined;
  /** The record that is open beside the list. */
  current?: string | undefined;
  /** What is below columns: the sums of their values on all pages, by column. */
  sums?: Map<string, ReactNode> | undefined;
  /** Whether columns may need more room than there is: they scroll beside the first one, and the head does not stay. */
  scrolls?: boolean;
  className?: string;
}

/** Selects a record; with Shift, all from the last one. */
function RowCheckbox({ id, name, selection }: { id: string; name: string; selection: RowSelection }) {
  const { t } = useTranslation();
  return (
    <LargeCheckbox
      data-select
      className="z-1"
      aria-label={t("ui.list.bulk.select", { name })}
      checked={selection.has(id)}
      onChange={(event) => selection.toggle(id, "shiftKey" in event.nativeEvent && event.nativeEvent.shiftKey === true)}
    />
  );
}

const RowsContext = createContext<readonly object[]>([]);

/** Returns the records of the table that a cell or a sum is in. */
export const useRows = (): readonly object[] => useContext(RowsContext);

function Title({ name, line, icon, isDone, onSpace, action, to, checkbox }: RowTitle & { to: To; checkbox: ReactNode }) {
  return (
    <span className="flex min-w-0 items-center gap-3 bg-inherit">
      {checkbox}
      {icon}
      <span className="min-w-0 flex-1">
        <Link
          to={to}
          state={openedState}
          preventScrollReset
          data-row
          dir="auto"
          title={name}
          {...(onSpace && { "aria-keyshortcuts": "Space", onKeyDown: onSpaceBar(onSpace) })}
          className={cx(
            twoLinesOnPhones,
            "block font-medium outline-none after:absolute after:inset-0 after:content-[''] focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-primary",
            isDone ? "text-muted line-through" : "text-ink",
          )}
        >
          {name}
        </Link>
        {line && (
          <span dir="auto" className="block truncate text-[12.5px] text-muted">
            {line}
          </span>
        )}
      </span>
      {action && (
        // Above the end of a long name, so that it takes no room from the columns; fingers see it always.
        <span className="absolute inset-y-0 right-0 flex items-center bg-inherit px-1 opacity-0 has-focus-visible:opacity-100 pointer-coarse:static pointer-coarse:px-0 pointer-coarse:opacity-100 [tr:hover_&]:opacity-100">
          {action}
        </span>
      )}
    </span>
  );
}

function SortButton({
  label,
  name,
  sort,
  onSort,
}: {
  label: string;
  name: string;
  sort: string | undefined;
  onSort: (sort: string) => void;
}) {
  const up = sort === name;
  const down = sort === `-${name}`;
  return (
    <button
      type="button"
      onClick={() => onSort(up ? `-${name}` : name)}
      className="fingertip relative -mx-1 inline-flex items-center gap-1 rounded px-1 hover:text-ink"
    >
      {label}
      {up && <ArrowUp aria-hidden size={14} />}
      {down && <ArrowDown aria-hidden size={14} />}
    </button>
  );
}

/** The mark of an open or selected row beside its ground, which is faint in some colour schemes. */
const chosenBar = "before:absolute before:inset-y-0 before:left-0 before:w-0.75 before:bg-primary";

/** A table of records whose rows are links; cards on phones. */
export const RecordTable = <T extends { id: string }>(props: RecordTableProps<T>) => (
  <RowsContext value={props.records}>
    <Rows {...props} />
  </RowsContext>
);

function Rows<T extends { id: string }>({
  label,
  columns,
  records,
  to,
  title,
  titleLabel,
  titleSort,
  card,
  sort,
  onSort,
  selection,
  current,
  sums,
  scrolls,
  className,
}: RecordTableProps<T>) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const wide = useAtLeast("sm");
  const rows = useFirstRows(records);
  const direction = (name: string | undefined) =>
    name === undefined ? undefined : sort === name ? "ascending" : sort === `-${name}` ? "descending" : undefined;
  const open = (event: MouseEvent, record: T) => {
    if (event.target instanceof Element && event.target.closest("a, button, input, label")) return;
    if (getSelection()?.toString()) return;
    void navigate(to(record), { preventScrollReset: true, state: openedState });
  };
  const isChosen = ({ id }: T) => current === id || selection?.has(id) === true;
  const checkbox = (record: T) => selection && <RowCheckbox id={record.id} name={title(record).name} selection={selection} />;
  // The border is a shadow: a collapsed border would not move with the sticky head.
  const head = "shadow-[inset_0_-1px_var(--line)] px-3.5 py-2.5 text-xs font-medium whitespace-nowrap text-muted @max-[760px]:px-2.5";
  if (!wide) {
    return (
      <>
        <ul aria-label={label} className={className}>
          {rows.map((record) => (
            <li
              key={record.id}
              className={cx("relative border-b border-hover px-4 py-3 last:border-0", isChosen(record) && `bg-tint-soft ${chosenBar}`)}
            >
              <Title {...title(record)} action={undefined} to={to(record)} checkbox={checkbox(record)} />
              <div className="pointer-events-none mt-2 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-sm text-soft [&_a]:pointer-events-auto [&_a]:relative [&_button]:pointer-events-auto [&_button]:relative">
                {card(record)}
              </div>
            </li>
          ))}
        </ul>
        {sums && (
          <dl aria-label={t("ui.list.sum")} className="grid gap-1 border-t border-line px-4 py-3 text-sm tabular-nums">
            {columns
              .filter(({ id }) => sums.get(id))
              .map((column) => (
                <div key={column.id} className="flex justify-between gap-3">
                  <dt className="text-muted">{t("ui.list.sumOf", { column: column.label })}</dt>
                  <dd className="text-right font-medium text-ink">{sums.get(column.id)}</dd>
                </div>
              ))}
          </dl>
        )}
      </>
    );
  }
  return (
    <div className={cx("@container", scrolls ? "overflow-x-auto" : "max-md:overflow-x-auto", className)}>
      <table aria-label={label} className="w-full border-collapse text-left tabular-nums">
        <thead className={cx("bg-sunken", !scrolls && "md:sticky md:top-16 md:z-10")}>
          <tr>
            <th
              scope="col"
              aria-sort={direction(titleSort)}
              className={cx(head, "pl-5 @max-[760px]:pl-5", scrolls && "sticky left-0 z-2 bg-sunken")}
            >
              <span className="flex items-center gap-3">
                {selection && (
                  <LargeCheckbox
                    aria-label={t("ui.list.bulk.selectPage")}
                    checked={selection.page === "all"}
                    indeterminate={selection.page === "some"}
                    onChange={selection.togglePage}
                  />
                )}
                {titleSort && onSort ? <SortButton label={titleLabel} name={titleSort} sort={sort} onSort={onSort} /> : titleLabel}
              </span>
            </th>
            {columns.map((column) => (
              <th
                key={column.id}
                data-column={column.id}
                scope="col"
                aria-sort={direction(column.sort)}
                className={cx(head, column.className)}
              >
                {column.sort && onSort ? <SortButton label={column.label} name={column.sort} sort={sort} onSort={onSort} /> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((record) => (
            <tr
              key={record.id}
              onClick={(event) => open(event, record)}
              className={cx(
                "cursor-pointer border-b border-hover bg-surface transition-colors duration-150 last:border-0 hover:bg-sunken has-[[data-row]:focus-visible]:bg-sunken",
                isChosen(record) && "bg-tint-soft hover:bg-tint-soft",
              )}
            >
              <td
                // At least 40 % if the title is cut; in a narrow table, all the room that the other columns leave.
                className={cx(
                  "py-2.5 pr-3.5 pl-5",
                  isChosen(record) && chosenBar,
                  scrolls
                    ? "sticky left-0 z-1 max-w-58 bg-inherit md:max-w-78 @min-[1000px]:max-w-110 @min-[1250px]:max-w-140"
                    : "relative max-w-[40cqw] bg-inherit @max-[1000px]:w-full",
                )}
              >
                <Title {...title(record)} to={to(record)} checkbox={checkbox(record)} />
              </td>
              {columns.map((column) => (
                <td key={column.id} className={cx("px-3.5 py-2.5 @max-[760px]:px-2.5", column.className)}>
                  {column.cell(record)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        {sums && (
          <tfoot className="bg-sunken text-sm font-medium text-ink">
            <tr>
              <th
                scope="row"
                className={cx(
                  "py-2.5 pr-3.5 pl-5 text-xs font-medium text-muted shadow-[inset_0_1px_var(--line)]",
                  scrolls && "sticky left-0 z-1 bg-sunken",
                )}
              >
                {t("ui.list.sum")}
              </th>
              {columns.map((column) => (
                <td
                  key={column.id}
                  className={cx("px-3.5 py-2.5 align-top shadow-[inset_0_1px_var(--line)] @max-[760px]:px-2.5", column.className)}
                >
                  {sums.get(column.id)}
                </td>
              ))}
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}
