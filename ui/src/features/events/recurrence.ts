export const frequencies = ["none", "daily", "weekly", "monthly", "yearly"] as const;
export type Frequency = (typeof frequencies)[number] | "custom";

/** The rules that the form supports; any other rule is "custom" and stays unchanged. */
export interface Repeat {
  frequency: Frequency;
  /** The last day, or null for no end. */
  until: string | null;
}

export function parseRule(rule: string | undefined): Repeat {
  if (!rule) return { frequency: "none", until: null };
  const parts = new Map(
    rule
      .replace(/^RRULE:/i, "")
      .split(";")
      .map((part) => {
        const [name = "", value = ""] = part.split("=");
        return [name.toUpperCase(), value.toUpperCase()] as const;
      }),
  );
  const frequency = frequencies.find((one) => one.toUpperCase() === parts.get("FREQ"));
  const until = parts.get("UNTIL")?.match(/^(\d{4})(\d{2})(\d{2})/);
  parts.delete("FREQ");
  parts.delete("UNTIL");
  if (parts.get("INTERVAL") === "1") parts.delete("INTERVAL");
  if (!frequency || parts.size > 0) return { frequency: "custom", until: null };
  return { frequency, until: until ? `${until[1]}-${until[2]}-${until[3]}` : null };
}

/** Returns the rule for the chosen values; the end is a whole day. */
export function makeRule({ frequency, until }: Repeat): string | null {
  if (frequency === "none" || frequency === "custom") return null;
  return `FREQ=${frequency.toUpperCase()}${until ? `;UNTIL=${until.replaceAll("-", "")}` : ""}`;
}
