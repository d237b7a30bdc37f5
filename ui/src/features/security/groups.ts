/** A long secret in groups of four, as one reads it out. */
export const inGroups = (text: string) => text.match(/.{1,4}/g)?.join(" ") ?? "";
