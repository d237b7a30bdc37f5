/** The colours of calendar events; colour only repeats what the title says. */
export const eventColours = ["gray", "red", "orange", "yellow", "green", "teal", "blue", "indigo", "purple", "pink"] as const;
export type EventColour = (typeof eventColours)[number];

const values: Record<EventColour, string> = {
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
export function eventColour(name: string | undefined): string {
  return values[name as EventColour] ?? "var(--primary-500)";
}
