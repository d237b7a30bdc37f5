/** Text typed or pasted as an e-mail address. */
export interface TypedAddress {
  /** The address alone, in lower case, or the text unchanged. */
  email: string;
  /** The name before the address. */
  name?: string;
  /** Whether it looks like an address. */
  valid: boolean;
}

/** `Name <a@b>`, with or without quotes, or a single word. */
const pattern = /(?:"([^"]*)"|([^,;\n\r\t<>"@]*))\s*<\s*([^<>]*?)\s*>|[^\s,;<>]+/g;
/** Maximum length of a name, in characters. */
const maxNameLength = 200;

/** Whether a text looks like an address; the server makes the final check. */
export const isAddress = (text: string) => text.length <= 254 && /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(\.[^\s@<>"(),;:.]+)+$/.test(text);

/**
 * Returns the addresses of a pasted text, each once. Commas, semicolons, blanks or new lines separate them; names are
 * optional.
 */
export function parseAddresses(text: string): TypedAddress[] {
  const found = new Map<string, TypedAddress>();
  for (const match of text.matchAll(pattern)) {
    const words = (match[3] ?? match[0]).replace(/^mailto:/i, "").trim();
    if (!words) continue;
    const valid = isAddress(words);
    const email = valid ? words.toLowerCase() : words;
    const name = (match[1] ?? match[2] ?? "").replace(/\s+/g, " ").trim().slice(0, maxNameLength);
    if (!found.has(email)) found.set(email, { email, valid, ...(valid && name && { name }) });
  }
  return [...found.values()];
}

/**
 * Checks whether the typed text ends with a complete address: not with a blank within `Ben Stone <ben@…>`, nor with a
 * comma within quotes.
 */
export function endsAddress(text: string): boolean {
  const open = (text.match(/"/g) ?? []).length % 2 === 1 || text.lastIndexOf("<") > text.lastIndexOf(">");
  if (open) return false;
  if (/[,;\n]$/.test(text)) return true;
  // Words alone are not an address yet, because a name may come first.
  return /\s$/.test(text) && text.includes("@");
}
