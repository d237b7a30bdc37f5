/** Returns a property of a value, if it is an object that has it. */
export const property = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** Returns the value at a path of properties, such as `details.company`. */
export const valueAt = (record: unknown, path: string): unknown => path.split(".").reduce<unknown>(property, record);
