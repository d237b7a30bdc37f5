import { language, locale } from "./locale";

/** How dates, times and weeks are shown, and which country and currency are proposed. */
export interface Region {
  dateFormat: "mdy" | "dmy" | "ymd";
  timeFormat: "12h" | "24h";
  firstDay: "monday" | "saturday" | "sunday";
  phoneCountry: string;
  currency: string;
}

const american: Region = { dateFormat: "mdy", timeFormat: "12h", firstDay: "sunday", phoneCountry: "US", currency: "USD" };
const british: Region = { dateFormat: "dmy", timeFormat: "24h", firstDay: "monday", phoneCountry: "GB", currency: "GBP" };
const spanish: Region = { ...british, phoneCountry: "ES", currency: "EUR" };

let own: Region | undefined;

/** Sets the member's region; undefined means what is usual in the language. */
export function setRegion(region: Region | undefined) {
  own = region;
}

/** Returns the member's region. */
export function region(): Region {
  if (own) return own;
  if (language() === "es") return spanish;
  return locale() === "en-GB" ? british : american;
}

/** Returns the locale whose dates have the region's order: English ones differ, those of other languages do not. */
export function dateLocale(): string {
  if (language() !== "en") return locale();
  return region().dateFormat === "dmy" ? "en-GB" : "en-US";
}

export const hasTwelveHours = () => region().timeFormat === "12h";

/** Whether decimals stand behind a comma in the member's country, as in Spain: Excel then expects semicolons in CSV files. */
export function hasDecimalCommas(): boolean {
  const { phoneCountry } = region();
  // The language that most people there have, without its script: number formats are found by language and region.
  const spoken = phoneCountry ? new Intl.Locale("und", { region: phoneCountry }).maximize().language : "";
  return new Intl.NumberFormat(spoken ? `${spoken}-${phoneCountry}` : locale())
    .formatToParts(1.5)
    .some(({ type, value }) => type === "decimal" && value === ",");
}
