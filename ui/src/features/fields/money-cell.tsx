import { useRows } from "@/components/record-table";
import { valueAt } from "@/lib/property";
import { isMoney, type Money, moneyText } from "./money";

interface MoneyCellProps {
  money: Money;
  /** The path of the column's value in a record: `value`, `fields.budget`. */
  column: string;
}

/** An amount in a column of a table, or the sum of one, with decimals if an amount of the column has a fraction. */
export function MoneyCell({ money, column }: MoneyCellProps) {
  const values = useRows().map((record) => valueAt(record, column));
  return moneyText(money, values.filter(isMoney));
}
