/** Returns a text without the spaces around it, or null for an empty one, which clears the value in a call. */
export const textOrNull = (text: string | null | undefined): string | null => text?.trim() || null;
