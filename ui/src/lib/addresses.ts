/** What somebody typed or pasted as an address. */
export interface Typed {
  /** The address alone, in lower case, or the words as they came. */
  email: string;
  /** The name that stood before the address. */
  name?: string;
  /** Whether it looks like an address. */
  valid: boolean;
}

/** `Name <a@b>`, with or without quotes, or a word that stands by itself. */
const pattern = /(?:"([^"]*)"|([^,;\n\r\t<>"@]*))\s*<\s*([^<>]*?)\s*>|[^\s,;<>]+/g;
/** Characters that a name may have. */
const longestName = 200;

/** Whether a text looks like an address; the server has the last word. */
export const isAddress = (text: string) => text.length <= 254 && /^[^\s@<>"(),;:]+@[^\s@<>"(),;:.]+(\.[^\s@<>"(),;:.]+)+$/.test(text);

/** The addresses in a pasted text: parted by commas, semicolons, blanks or new lines, with names or without; each once. */
export function parseAddresses(text: string): Typed[] {
  const found = new Map<string, Typed>();
  for (const match of text.matchAll(pattern)) {
    const words = (match[3] ?? match[0]).replace(/^mailto:/i, "").trim();
    if (!words) continue;
    const valid = isAddress(words);
    const email = valid ? words.toLowerCase() : words;
    const name = (match[1] ?? match[2] ?? "").replace(/\s+/g, " ").trim().slice(0, longestName);
    if (!found.has(email)) found.set(email, { email, valid, ...(valid && name && { name }) });
  }
  return [...found.values()];
}

/**
 * Whether what is being typed ends with a whole address, so that it can be taken: a blank within
 * `Ben Stone <ben@…>` ends nothing, nor does a comma within quotes.
 */
export function endsAddress(text: string): boolean {
  const open = (text.match(/"/g) ?? []).length % 2 === 1 || text.lastIndexOf("<") > text.lastIndexOf(">");
  if (open) return false;
  if (/[,;\n]$/.test(text)) return true;
  // A name may come before an address, so words alone are not yet one.
  return /\s$/.test(text) && text.includes("@");
}
