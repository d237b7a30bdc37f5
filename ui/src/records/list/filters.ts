/** The filters of a list, as the address, saved views and the server have them: `status:is:lead,active`. */

export const operators = ["is", "not", "contains", "starts", "gte", "lte", "empty", "set"] as const;
export type Operator = (typeof operators)[number];

export interface Filter {
  column: string;
  operator: Operator;
  /** One of them is enough; `empty` and `set` have none. */
  values: string[];
}

/** Maximum filters of the bar. The server takes some more, which screens add. */
export const maxFilters = 10;

export const hasValues = (operator: string) => operator !== "empty" && operator !== "set";

/** Splits at commas that no backslash precedes. */
function splitValues(text: string): string[] {
  const values = [""];
  for (const part of text.match(/\\.|[^\\]/gsu) ?? []) {
    if (part === ",") values.push("");
    else values.push((values.pop() ?? "") + part.replace(/^\\/, ""));
  }
  return values;
}

/** Reads a filter; undefined if it is not written as one. */
export function parseFilter(text: string): Filter | undefined {
  const [, column = "", name, rest] = /^([^:]+):([a-z]+)(?::(.*))?$/su.exec(text) ?? [];
  const operator = operators.find((one) => one === name);
  if (!operator) return undefined;
  if (!hasValues(operator)) return rest === undefined ? { column, operator, values: [] } : undefined;
  const values = splitValues(rest ?? "");
  return values.includes("") ? undefined : { column, operator, values };
}

export function formatFilter({ column, operator, values }: Filter): string {
  const escaped = values.map((value) => value.replace(/[\\,]/g, "\\$&"));
  return [column, operator, ...(hasValues(operator) ? [escaped.join(",")] : [])].join(":");
}
