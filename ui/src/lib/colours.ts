/** The colours that are chosen for events, statuses and tags; a colour only repeats what a word says. */
export const colourNames = ["gray", "red", "orange", "yellow", "green", "teal", "blue", "indigo", "purple", "pink"] as const;
export type ColourName = (typeof colourNames)[number];

const values: Record<ColourName, string> = {
  gray: "oklch(.62 .02 250)",
  red: "oklch(.63 .21 25)",
  orange: "oklch(.7 .18 48)",
  yellow: "oklch(.79 .16 85)",
  green: "oklch(.69 .17 150)",
  teal: "oklch(.68 .12 185)",
  blue: "oklch(.62 .19 258)",
  indigo: "oklch(.56 .2 277)",
  purple: "oklch(.6 .22 304)",
  pink: "oklch(.66 .21 355)",
};

/** Returns the CSS value of a colour's name; the scheme's own colour if there is none. */
export function namedColour(name: string | undefined): string {
  return values[name as ColourName] ?? "var(--primary-500)";
}
