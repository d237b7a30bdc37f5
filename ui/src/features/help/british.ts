/** American words of the guides, or their beginnings, and the British ones. */
const words = { color: "colour", canceled: "cancelled", organiz: "organis", recogniz: "recognis", trash: "bin" } as const;

/** Writes guides in British English. */
export function british(guides: Record<string, string>): Record<string, string> {
  // In an address, it is a name.
  const american = new RegExp(`(?<!/)\\b(${Object.keys(words).join("|")})`, "gi");
  const replaced = (found: string) => {
    const word = words[found.toLowerCase() as keyof typeof words];
    return found[0] === found[0]?.toLowerCase() ? word : word.charAt(0).toUpperCase() + word.slice(1);
  };
  return Object.fromEntries(Object.entries(guides).map(([name, text]) => [name, text.replace(american, replaced)]));
}
