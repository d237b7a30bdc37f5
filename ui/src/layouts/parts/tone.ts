/** The background of a column: dark, the scheme's own dark, or that of a card. */
export const tones = { dark: "dark", deep: "deep", light: "" } as const;
export type Tone = keyof typeof tones;
