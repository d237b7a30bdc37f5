import type { Piece } from "@/lib/match";

/** A text with the search matches highlighted. */
export function Marked({ pieces }: { pieces: Piece[] }) {
  return pieces.map(({ text, hit }, at) =>
    hit ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no other key and are rendered again with each text
      <span key={at} data-hit className="font-semibold text-accent">
        {text}
      </span>
    ) : (
      text
    ),
  );
}
