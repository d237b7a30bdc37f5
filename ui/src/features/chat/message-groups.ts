import { isoDay } from "@/lib/zone";

/** The properties of a message that determine its grouping. */
export interface GroupedLine {
  author: string;
  createdAt: string;
  /** Whether it is a group event, without an author. */
  event?: boolean;
}

export interface LinePlacement {
  /** The day to show above it, if it is the first of its day. */
  day: string | undefined;
  /** Whether it is the first of its group, with the author's name. */
  first: boolean;
  /** Whether it is the last of its group, with the bubble's tail. */
  last: boolean;
  /** Whether its time is shown below it. */
  timed: boolean;
}

const minute = (line: GroupedLine) => Math.floor(new Date(line.createdAt).getTime() / 60_000);
const dayOf = (line: GroupedLine | undefined) => line && isoDay(new Date(line.createdAt));

/** Places day separators, and groups consecutive messages of one author. */
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
