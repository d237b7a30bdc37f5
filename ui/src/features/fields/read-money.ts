import i18n from "i18next";
import { decimalSeparator } from "@/lib/numbers";
import { region } from "@/lib/region";
import { digitsOf, type Money } from "./money";

/** Why a text is no amount: the last part of its text's key. */
export type MoneyFault = "notANumber" | "notACurrency" | "tooManyDecimals" | "tooLarge";

/** What a text says: its digits without separators, and how many of them are decimals. */
interface Digits {
  all: string;
  decimals: number;
}

const isGrouped = ([first = "", ...rest]: string[]) => first.length >= 1 && first.length <= 3 && rest.every((group) => group.length === 3);

/**
 * Divides a number as imports do (`src/formats/values/number.rs`): three digits behind a single mark are thousands, unless
 * the part before is 0 or empty, or the mark is `decimalMark`. Undefined if it is no number.
 */
function readDigits(text: string, decimalMark: string | undefined): Digits | undefined {
  const marks = [...text.replace(/['’\s]/g, " ").matchAll(/[., ]/g)].map(([mark]) => mark);
  const groups = text.split(/[.,'’\s]/);
  if (groups.some((group) => !/^\d*$/.test(group)) || !/\d/.test(text)) return undefined;
  const all = groups.join("");
  const last = marks.at(-1);
  const thousands = marks.slice(0, -1);
  const decimals = groups.at(-1)?.length ?? 0;
  if (last === undefined) return { all, decimals: 0 };
  if (thousands.length === 0) {
    const mayBeThousands = isGrouped(groups);
    if (last === " ") return mayBeThousands ? { all, decimals: 0 } : undefined;
    if (mayBeThousands && !all.startsWith("0")) return { all, decimals: last === decimalMark ? 3 : 0 };
    return decimals === 0 ? undefined : { all, decimals };
  }
  if (thousands.some((mark) => mark !== thousands[0])) return undefined;
  if (thousands[0] === last) return isGrouped(groups) ? { all, decimals: 0 } : undefined;
  return last !== " " && decimals > 0 && isGrouped(groups.slice(0, -1)) ? { all, decimals } : undefined;
}

/** Returns the symbols of a currency in the interface's language, folded. */
function symbolsOf(currency: string, languages = [i18n.language, "en"]): string[] {
  try {
    return languages.flatMap((language) =>
      (["symbol", "narrowSymbol"] as const).flatMap((currencyDisplay) =>
        new Intl.NumberFormat(language, { style: "currency", currency, currencyDisplay })
          .formatToParts(0)
          .flatMap(({ type, value }) => (type === "currency" ? value.toLowerCase() : [])),
      ),
    );
  } catch {
    return [];
  }
}

const englishSymbol = (code: string) =>
  new Intl.NumberFormat("en", { style: "currency", currency: code }).formatToParts(0).find(({ type }) => type === "currency")?.value;

/** Returns the currency that a symbol or a code means: the field's or the company's, before all others. */
function currencyNamed(name: string, currency: string): string | undefined {
  const symbol = name.toLowerCase();
  const near = [currency, region().currency].find((code) => code.toLowerCase() === symbol || symbolsOf(code).includes(symbol));
  if (near) return near;
  const codes = Intl.supportedValuesOf("currency");
  return codes.find((code) => code.toLowerCase() === symbol) ?? codes.find((code) => englishSymbol(code)?.toLowerCase() === symbol);
}

/** An amount with or without its currency at one end, and a sign before or behind it. */
const written = /^([^\d.,]*?)\s*([\d.,][\d.,'’\s]*?)\s*([^\d.,'’\s]*)$/u;
const signs = /[-−+]/g;

/**
 * Reads an amount of money, in a currency that the text names or in this one. Returns why it is none: more decimals than the
 * currency has, unless they are zeros, are refused rather than rounded.
 */
export function readMoney(text: string, currency: string): Money | MoneyFault {
  const found = written.exec(text.trim());
  if (!found) return "notANumber";
  const [, before = "", number = "", after = ""] = found;
  const sign = [before, after].join("").match(signs) ?? [];
  const names = [before, after].map((part) => part.replace(signs, "").trim()).filter(Boolean);
  if (sign.length > 1 || names.length > 1) return "notANumber";
  const code = names[0] === undefined ? currency : currencyNamed(names[0], currency);
  if (code === undefined) return "notACurrency";
  const places = digitsOf(code);
  // Thousands have three digits: only a currency with as many decimals needs the language's mark.
  const digits = readDigits(number, places > 2 ? decimalSeparator() : undefined);
  if (!digits) return "notANumber";
  const extra = digits.decimals - places;
  if (extra > 0 && !/^0*$/.test(digits.all.slice(-extra))) return "tooManyDecimals";
  const amount = Number(extra > 0 ? digits.all.slice(0, -extra) : digits.all + "0".repeat(-extra));
  if (!Number.isSafeInteger(amount)) return "tooLarge";
  return { amount: sign[0] && sign[0] !== "+" && amount !== 0 ? -amount : amount, currency: code };
}
