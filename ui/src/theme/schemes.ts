/** The colour schemes that a company or a member may choose, as the specification lists them. */
export const schemes = [
  "default",
  "purple",
  "brand",
  "teal",
  "rose",
  "amber",
  "blue",
  "green",
  "indigo",
  "lime",
  "cyan",
  "emerald",
  "fuchsia",
  "orange",
  "pink",
  "red",
  "sky",
  "slate",
  "stone",
  "violet",
  "yellow",
] as const;

export type Scheme = (typeof schemes)[number];

/** Returns the scheme with a name, or `default`. */
export function schemeOf(name: string | null | undefined): Scheme {
  return schemes.find((scheme) => scheme === name) ?? "default";
}

/** Milliseconds of the transition between schemes; the style sheet has the same value. */
const fadeMs = 200;
let fading: ReturnType<typeof setTimeout> | undefined;

/** Sets a scheme on the root element; the colours fade in 0.2 s. */
export function applyScheme(name: string | null | undefined, root: HTMLElement = document.documentElement) {
  const wanted = `theme-${schemeOf(name)}`;
  if (root.classList.contains(wanted)) return;
  for (const scheme of schemes) root.classList.remove(`theme-${scheme}`);
  root.classList.add(wanted);
  root.dataset.fading = "";
  clearTimeout(fading);
  fading = setTimeout(() => delete root.dataset.fading, fadeMs);
}

/** Light, dark, or the system's setting. */
export type SchemeType = "light" | "dark" | "auto";

/** The specification switches dark mode off; this is the switch. The tokens define its colours. */
const darkIsOn = false;
const systemIsDark = "(prefers-color-scheme: dark)";

/** Sets the class `light` or `dark` on the root element; `auto` follows the system. Returns a function that stops. */
export function applySchemeType(type: SchemeType, { enabled = darkIsOn, root = document.documentElement } = {}): () => void {
  const system = matchMedia(systemIsDark);
  const apply = () => {
    const dark = enabled && (type === "dark" || (type === "auto" && system.matches));
    root.classList.toggle("dark", dark);
    root.classList.toggle("light", !dark);
  };
  apply();
  if (type !== "auto") return () => undefined;
  system.addEventListener("change", apply);
  return () => system.removeEventListener("change", apply);
}
