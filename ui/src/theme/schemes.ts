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

/** The scheme of that name, or `default` where there is none. */
export function schemeOf(name: string | null | undefined): Scheme {
  return schemes.find((scheme) => scheme === name) ?? "default";
}

/** Milliseconds in which one scheme becomes another; the style sheet has the same. */
const fade = 200;
let fading: ReturnType<typeof setTimeout> | undefined;

/** Puts a scheme on the root element; the colours fade over in 0.2 s. */
export function applyScheme(name: string | null | undefined, root: HTMLElement = document.documentElement) {
  const wanted = `theme-${schemeOf(name)}`;
  if (root.classList.contains(wanted)) return;
  for (const scheme of schemes) root.classList.remove(`theme-${scheme}`);
  root.classList.add(wanted);
  root.dataset.fading = "";
  clearTimeout(fading);
  fading = setTimeout(() => delete root.dataset.fading, fade);
}

/** Light, dark, or as the person's system has it. */
export type SchemeType = "light" | "dark" | "auto";

/** Dark is laid out in the tokens and switched off by the specification; this is the switch. */
const darkIsOn = false;
const systemIsDark = "(prefers-color-scheme: dark)";

/** Puts the type on the root element as `light` or `dark`, and follows the system where it is `auto`; answers how to stop. */
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
