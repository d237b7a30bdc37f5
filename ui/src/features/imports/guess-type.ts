import type { CustomFieldType } from "@/api/schema";

/** The types that a new field can have: those whose values need no choices and no other records. */
export const newFieldTypes = ["text", "longText", "number", "money", "date", "checkbox", "url"] as const satisfies CustomFieldType[];
export type NewFieldType = (typeof newFieldTypes)[number];

const shapes: [NewFieldType, RegExp][] = [
  ["checkbox", /^(yes|no|true|false|sí|si|x)$/i],
  ["url", /^(https?:\/\/|www\.)\S+$/i],
  ["date", /^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})$/],
  ["number", /^-?\d{1,3}(([., ]\d{3})*([.,]\d+)?|\d*([.,]\d+)?)$/],
  ["money", /^([€$£¥]|[A-Z]{3}\s)\s?-?[\d., ]+$|^-?[\d., ]+\s?([€$£¥]|[A-Z]{3})$/],
];

/** Returns the type that all samples of a column have; a text by default, a long one for long samples. */
export function guessType(samples: string[]): NewFieldType {
  const found = samples.length > 0 ? shapes.find(([, shape]) => samples.every((sample) => shape.test(sample.trim()))) : undefined;
  return found?.[0] ?? (samples.some((sample) => sample.length > 80) ? "longText" : "text");
}
