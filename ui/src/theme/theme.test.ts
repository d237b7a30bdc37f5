import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { applyScheme, applySchemeType, schemeOf, schemes } from "./schemes";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

/** Returns the variables that a selector sets. */
function block(css: string, selector: string): Map<string, string> {
  const start = css.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`No ${selector}`);
  const body = css.slice(start, css.indexOf("}", start));
  return new Map([...body.matchAll(/--([\w-]+):\s*([^;]+);/g)].map(([, name = "", value = ""]) => [name, value.trim()]));
}

/** Returns the linear red, green and blue of an `oklch()`, white or black. */
function linear(value: string): number[] {
  if (value === "#fff") return [1, 1, 1];
  const parts = /^oklch\(\s*([\d.]+) ([\d.]+) ([\d.]+)\s*\)$/.exec(value);
  if (!parts) throw new Error(`Not a plain colour: ${value}`);
  const [l, c, h] = parts.slice(1).map(Number) as [number, number, number];
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const [x, y, z] = [
    l + 0.3963377774 * a + 0.2158037573 * b,
    l - 0.1055613458 * a - 0.0638541728 * b,
    l - 0.0894841775 * a - 1.291485548 * b,
  ].map((v) => v ** 3) as [number, number, number];
  return [
    4.0767416621 * x - 3.3077115913 * y + 0.2309699292 * z,
    -1.2684380046 * x + 2.6097574011 * y - 0.3413193965 * z,
    -0.0041960863 * x - 0.7034186147 * y + 1.707614701 * z,
  ].map((v) => Math.min(1, Math.max(0, v)));
}

function luminance(value: string): number {
  const [r = 0, g = 0, b = 0] = linear(value);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

const tokens = read("./tokens.css");
const colours = read("./schemes.css");

/** Returns the variables of a mode and a scheme. */
function variables(mode: string, scheme: string): Map<string, string> {
  const grey = ".light:is(.theme-slate, .theme-stone)";
  const isGrey = mode === ".light" && grey.includes(`theme-${scheme}`);
  const own = isGrey ? [...block(tokens, grey), ...block(tokens, `.light.theme-${scheme}`)] : [];
  return new Map([...block(tokens, ":root"), ...block(tokens, mode), ...own, ...block(colours, `.theme-${scheme}`)]);
}

type Place = readonly [number, number, number];

/** Returns where a variable's colour is in Oklab. */
function place(all: Map<string, string>, name: string): Place {
  const found = all.get(name) ?? "";
  const inner = /^var\(--([\w-]+)\)$/.exec(found)?.[1];
  if (inner) return place(all, inner);
  const [l = 0, c = 0, h = 0] = (/^oklch\((.+)\)$/.exec(found)?.[1] ?? "").split(" ").map(Number);
  return [l, c * Math.cos((h * Math.PI) / 180), c * Math.sin((h * Math.PI) / 180)];
}

const distance = (one: Place, other: Place) => Math.hypot(one[0] - other[0], one[1] - other[1], one[2] - other[2]);

/** Every pair of text and background colours in the interface. */
const light: [text: string, ground: string][] = [
  ...["page", "surface", "sunken", "hover"].flatMap((ground): [string, string][] => ["ink", "body", "soft"].map((text) => [text, ground])),
  ["muted", "page"],
  ["muted", "surface"],
  ["muted", "sunken"],
  ["muted", "hover"],
  ["muted", "tint-soft"],
  ...["accent", "ok", "warn", "bad"].map((text): [string, string] => [text, "tint-soft"]),
  ["gray-700", "surface"],
  ["gray-700", "gray-200"],
  ["accent", "surface"],
  ["accent", "page"],
  ["accent", "sunken"],
  ["on-tint", "tint"],
  ["on-tint", "tint-soft"],
  ["ink", "tint-soft"],
  ["body", "tint-soft"],
  ["on-solid", "solid"],
  ["on-solid", "solid-hover"],
  ["on-action", "action"],
  ["on-action", "action-hover"],
  ["on-solid", "primary-700"],
  ["primary-200", "primary-950"],
  ["primary-300", "gray-900"],
  ["primary-950", "primary-300"],
  ["ok", "ok-soft"],
  ["ok", "surface"],
  ["warn", "warn-soft"],
  ["bad", "bad-soft"],
  ["bad", "surface"],
  ["bad", "page"],
  ["on-solid", "bad-solid"],
];

const dark: [text: string, ground: string][] = ["page", "surface", "sunken"].flatMap((ground): [string, string][] =>
  ["ink", "body", "soft", "muted", "accent"].map((text) => [text, ground]),
);

const deep: [text: string, ground: string][] = ["surface", "hover"].flatMap((ground): [string, string][] =>
  ["ink", "body", "soft", "muted", "accent"].map((text) => [text, ground]),
);

/** The focus outline on every ground that a focused element stands on. */
const outlined = ["page", "surface", "sunken"].map((ground): [string, string] => ["focus", ground]);

describe("schemes", () => {
  it("are the 21 of the specification, each with its class", () => {
    expect(schemes).toHaveLength(21);
    for (const scheme of schemes) expect(colours).toContain(`.theme-${scheme} {`);
  });

  it.each(schemes)("%s passes AA contrast for every text on its background", (scheme) => {
    // Dark is off for the page, but the side navigation uses it.
    for (const [mode, pairs] of [
      [".light", light],
      [".dark", dark],
      [".deep", deep],
    ] as const) {
      const all = variables(mode, scheme);
      const value = (name: string): string => {
        const found = all.get(name);
        if (found === undefined) throw new Error(`No colour ${name}`);
        const inner = /^var\(--([\w-]+)\)$/.exec(found)?.[1];
        return inner ? value(inner) : found;
      };
      const failing = pairs
        .map(([text, ground]) => `${text} on ${ground}: ${contrast(value(text), value(ground)).toFixed(2)}`)
        .filter((line) => Number(line.split(": ")[1]) < 4.5);
      expect(failing).toEqual([]);
      for (const [outline, ground] of outlined) expect(contrast(value(outline), value(ground))).toBeGreaterThanOrEqual(3);
      if (mode === ".light") expect(contrast(value("focus"), value("hover"))).toBeGreaterThanOrEqual(3);
    }
  });

  it.each(["rose", "red"])("%s has a main button distinct from the danger button", (scheme) => {
    const all = variables(".light", scheme);
    expect(distance(place(all, "action"), place(all, "bad-solid"))).toBeGreaterThan(0.1);
  });

  it.each(schemes)("%s has a ground for selected rows distinct from the page's surface", (scheme) => {
    const all = variables(".light", scheme);
    const value = (name: string): string => {
      const found = all.get(name) ?? "";
      const inner = /^var\(--([\w-]+)\)$/.exec(found)?.[1];
      return inner ? value(inner) : found;
    };
    const [l = 0, c = 0] = (/^oklch\((.+)\)$/.exec(value("tint-soft"))?.[1] ?? "").split(" ").map(Number);
    expect(Math.hypot(1 - l, c)).toBeGreaterThan(0.02);
  });

  it.each(schemes)("%s has links distinct from the text around them", (scheme) => {
    const all = variables(".light", scheme);
    expect(distance(place(all, "accent"), place(all, "body"))).toBeGreaterThan(0.19);
  });

  it.each(["amber", "yellow", "lime", "brand"])("%s has a main button in its own bright colour, with dark text", (scheme) => {
    expect(block(colours, `.theme-${scheme}`).get("action")).toBe("var(--primary-400)");
    expect(block(colours, `.theme-${scheme}`).get("on-action")).toBe("var(--primary-950)");
  });

  it("fall back to default, and replace one another on the root", () => {
    expect(schemeOf("mauve")).toBe("default");
    expect(schemeOf(null)).toBe("default");
    const root = document.createElement("html");
    root.className = "light theme-default";
    applyScheme("teal", root);
    expect(root.className).toBe("light theme-teal");
    applyScheme("nothing", root);
    expect(root.className).toBe("light theme-default");
  });

  it("keep dark mode off although its tokens exist", () => {
    expect(tokens).toContain(".dark {");
    expect(read("../../index.html")).toContain('class="light theme-default"');
    const root = document.createElement("html");
    for (const type of ["light", "dark", "auto"] as const) {
      applySchemeType(type, { root })();
      expect(root.className).toBe("light");
    }
  });

  it("follow light, dark or the system setting once dark mode is enabled", () => {
    const root = document.createElement("html");
    let listener: () => void = () => undefined;
    const system = {
      matches: true,
      addEventListener: (_: string, heard: () => void) => {
        listener = heard;
      },
      removeEventListener: vi.fn(),
    };
    vi.spyOn(window, "matchMedia").mockReturnValue(system as unknown as MediaQueryList);
    applySchemeType("light", { enabled: true, root });
    expect(root.className).toBe("light");
    applySchemeType("dark", { enabled: true, root });
    expect(root.className).toBe("dark");
    const stop = applySchemeType("auto", { enabled: true, root });
    expect(root.className).toBe("dark");
    system.matches = false;
    listener();
    expect(root.className).toBe("light");
    stop();
    expect(system.removeEventListener).toHaveBeenCalledOnce();
  });
});

it("no element both removes its outline and sets it on focus", () => {
  const files = readdirSync("src", { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => name.endsWith(".tsx")).map((name) => `../${name}`);
  expect(sources.length).toBeGreaterThan(100);
  const classes = sources.flatMap((name) => read(name).match(/"[^"\n]*"/g) ?? []);
  expect(classes.filter((list) => /[" ]outline-none /.test(list) && /[" ](focus|focus-visible):outline-\d/.test(list))).toEqual([]);
});
