/** Splits a long secret into groups of four, for reading it out. */
export const inGroups = (text: string) => text.match(/.{1,4}/g)?.join(" ") ?? "";
