import type { ReactNode } from "react";
import type { CustomFieldType, NewBulkChange } from "@/api/schema";
import type { ColourName } from "@/lib/colours";
import type { CreatedKind } from "@/records/kinds";

export type ColumnType = CustomFieldType | "time" | "tags" | "import";

/** A value of a column that is a choice. */
export interface ColumnChoice {
  key: string;
  name: string;
  color?: ColourName | undefined;
  /** Whether it can only be filtered by, and not be chosen any more. */
  isGone?: boolean;
}

/** A column of a list: what its values are. */
export interface ColumnInfo {
  /** Its name in the API: `status`, `fields.budget`. */
  id: string;
  label: string;
  type: ColumnType;
  /** The values of a choice; of tags, those that are offered; the member’s imports. */
  choices?: ColumnChoice[];
  /** Whether the company defines the choices: a filter may name one that was removed. */
  hasOwnChoices?: boolean;
  /** The kind of the records that its values refer to. */
  target?: CreatedKind | undefined;
}

/** A column of a list: how it is shown. */
export interface ListColumn<T> extends ColumnInfo {
  /** Shows a record's value; without it, the list can only be filtered and sorted by the column. */
  cell?: (record: T) => ReactNode;
  className?: string;
  /** Whether it is shown unless the member chooses columns. */
  usual?: boolean;
  /** The class that hides it in a narrow list, unless the member chooses columns. */
  narrow?: string;
  /** Whether the values of many records can be set at once; `required` if they cannot be cleared. */
  inBulk?: "optional" | "required";
  /** The input for a value of many records, where the type of the column has none for it; null while there is no value. */
  bulkInput?: (onChange: (value: unknown) => void) => ReactNode;
  /** Returns the value as the call takes it that changes a record, where its text is not that value. */
  bulkValue?: (text: string) => unknown;
  /** Returns the change of many records by the value, where it sets more than this field. */
  bulkChange?: (value: unknown) => NewBulkChange["change"];
  /** Whether its filter is always in the bar. */
  quick?: boolean;
}

/** Whether a list can be sorted by a column; by members and records it is sorted by their names. */
export const isSortable = ({ type }: ColumnInfo) => type !== "longText" && type !== "import";
