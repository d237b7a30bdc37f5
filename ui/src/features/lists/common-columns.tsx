import type { TFunction } from "i18next";
import type { Stamped } from "@/api/schema";
import { TimeCell } from "@/components/cells";
import { Person } from "@/features/team/person";
import type { ListColumn } from "@/records/list/columns";

/** Returns the columns that the list of every kind has. */
export function commonColumns<T extends Stamped>(t: TFunction): Record<"updatedAt" | "createdAt" | "createdBy", ListColumn<T>> {
  const time = { type: "time", className: "whitespace-nowrap" } as const;
  return {
    updatedAt: {
      ...time,
      id: "updatedAt",
      label: t("ui.list.updated"),
      usual: true,
      cell: (one) => <TimeCell at={one.updatedAt} />,
    },
    createdAt: { ...time, id: "createdAt", label: t("ui.list.created"), cell: (one) => <TimeCell at={one.createdAt} /> },
    createdBy: {
      id: "createdBy",
      label: t("ui.list.createdBy"),
      type: "member",
      className: "max-w-44",
      cell: (one) => <Person id={one.createdBy} />,
    },
  };
}

/**
 * Returns the columns of a kind with those that every kind has, unless the kind names them itself: the last change after
 * the usual columns, the creation at the end.
 */
export function withCommonColumns<T extends Stamped>(own: ListColumn<T>[], t: TFunction): ListColumn<T>[] {
  const { updatedAt, createdAt, createdBy } = commonColumns<T>(t);
  const isMissing = ({ id }: ListColumn<T>) => !own.some((column) => column.id === id);
  const place = own.findLastIndex(({ usual }) => usual) + 1 || own.length;
  return [...own.toSpliced(place, 0, ...[updatedAt].filter(isMissing)), ...[createdAt, createdBy].filter(isMissing)];
}
