import type { Status } from "@/api/schema";
import { cx } from "@/lib/cx";
import { Presence } from "./presence";

/** Returns the initials of the first and the last word. */
function initials(name: string): string {
  const words = name
    .trim()
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters
    .map((word) => Array.from(word ?? "").find((letter) => /[\p{L}\p{N}]/u.test(letter)) ?? "")
    .join("")
    .toLocaleUpperCase();
}

/** Returns a person's hue, always the same. */
function hue(seed: string): number {
  let hash = 2166136261;
  for (const letter of seed) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16777619);
  return ((hash >>> 0) % 24) * 15;
}

export interface AvatarProps {
  name: string;
  src?: string | null | undefined;
  /** Pixels. */
  size?: number;
  status?: Status | "offline" | undefined;
  className?: string;
}

/** A picture, or initials on the person's colour; decorative, so show the person's name beside it. */
export function Avatar({ name, src, size = 36, status, className }: AvatarProps) {
  const angle = hue(name);
  return (
    <span aria-hidden className={cx("relative inline-block shrink-0 align-middle", className)} style={{ width: size, height: size }}>
      {src ? (
        <img src={src} alt="" width={size} height={size} className="size-full rounded-full object-cover" />
      ) : (
        // Drawn by CSS, so that screen readers and the clipboard do not get the letters.
        <span
          data-initials={initials(name)}
          className="grid size-full place-items-center rounded-full font-semibold tracking-[.01em] select-none before:content-[attr(data-initials)]"
          style={{ background: `oklch(.91 .06 ${angle})`, color: `oklch(.38 .11 ${angle})`, fontSize: size * 0.36, lineHeight: 1 }}
        />
      )}
      {status && status !== "offline" && <Presence status={status} className="absolute -right-px -bottom-px ring-2 ring-surface" />}
    </span>
  );
}
