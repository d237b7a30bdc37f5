import { isoDay } from "@/lib/zone";

export interface Line {
  key: string;
  value: string;
  isMine: boolean;
  createdAt: string;
  state: "sent" | "sending" | "failed";
}

export interface PlacedLine extends Line {
  /** The day to announce above it, where it is the first of its day. */
  day: string | undefined;
  /** The last of a run by the same person: it has the tail. */
  last: boolean;
  /** Whether its time is shown below it. */
  timed: boolean;
}

const minute = (line: Line) => Math.floor(new Date(line.createdAt).getTime() / 60_000);

/** Puts day separators between messages and groups what one person wrote in a row. */
export function place(lines: Line[]): PlacedLine[] {
  return lines.map((line, at) => {
    const before = lines[at - 1];
    const after = lines[at + 1];
    const day = isoDay(new Date(line.createdAt));
    const last = !after || after.isMine !== line.isMine || isoDay(new Date(after.createdAt)) !== day;
    return {
      ...line,
      day: !before || isoDay(new Date(before.createdAt)) !== day ? day : undefined,
      last,
      timed: last || minute(after) !== minute(line),
    };
  });
}
