import { ago, longDate } from "@/lib/format";

/** A time in a row of a table: how long ago it was. */
export function TimeCell({ at }: { at: string }) {
  return (
    <time dateTime={at} title={longDate(at)} className="text-muted">
      {ago(at)}
    </time>
  );
}

/** A text in a row of a table, cut where it does not fit. */
export function TextCell({ text }: { text: string | undefined }) {
  return (
    <span dir="auto" title={text} className="block truncate">
      {text}
    </span>
  );
}
