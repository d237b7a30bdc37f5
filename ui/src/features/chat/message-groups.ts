import { isoDay } from "@/lib/zone";

/** What the placement of a message among the others depends on. */
export interface GroupedLine {
  author: string;
  createdAt: string;
  /** Something that happened, which nobody said. */
  event?: boolean;
}

export interface LinePlacement {
  /** The day to announce above it, where it is the first of its day. */
  day: string | undefined;
  /** The first of a run by the same person: it bears the name. */
  first: boolean;
  /** The last of a run by the same person: it has the tail. */
  last: boolean;
  /** Whether its time is shown below it. */
  timed: boolean;
}

const minute = (line: GroupedLine) => Math.floor(new Date(line.createdAt).getTime() / 60_000);
const dayOf = (line: GroupedLine | undefined) => line && isoDay(new Date(line.createdAt));

/** Puts day separators between messages and groups what one person wrote in a row. */
export function groupMessages(lines: GroupedLine[]): LinePlacement[] {
  const days = lines.map(dayOf);
  const together = (one: number, other: number) => {
    const [a, b] = [lines[one], lines[other]];
    return a !== undefined && b !== undefined && !a.event && !b.event && a.author === b.author && days[one] === days[other];
  };
  return lines.map((line, at) => {
    const next = lines[at + 1];
    const last = !together(at, at + 1);
    return {
      day: days[at] !== days[at - 1] ? days[at] : undefined,
      first: !together(at - 1, at),
      last,
      timed: !line.event && (last || !next || minute(next) !== minute(line)),
    };
  });
}
