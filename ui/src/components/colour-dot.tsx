import { type ColourName, namedColour } from "@/lib/colours";

/** A dot in a colour that the company chose, beside the word that it repeats; an empty ring without a colour. */
export function ColourDot({ colour }: { colour: ColourName | undefined }) {
  return (
    <i
      aria-hidden
      className="inline-block size-2.5 shrink-0 rounded-full border border-line-strong"
      style={colour && { background: namedColour(colour), borderColor: "transparent" }}
    />
  );
}
