import { fold } from "@/lib/fold";
import { contents, type Topic, topics } from "./contents";

export interface Guide {
  topic: Topic;
  /** Topic and name, as in the address. */
  path: string;
  title: string;
  /** The guide's first paragraph. */
  lead: string;
  /** The Markdown below the title. */
  text: string;
}

/** Removes the markup of Markdown. */
const bare = (text: string) => text.replace(/\]\([^)]*\)/g, "").replace(/[#*`>|[\]-]+/g, " ");

/** Returns the guides in order, from the files of a language (`./en/work/tasks.md`). */
export function guidesOf(files: Record<string, string>): Guide[] {
  return topics.flatMap((topic) =>
    contents[topic].flatMap((name) => {
      const path = `${topic}/${name}`;
      const file = Object.entries(files).find(([at]) => at.endsWith(`/${path}.md`))?.[1];
      if (!file) return [];
      const [head = "", ...rest] = file.trim().split("\n");
      const text = rest.join("\n").trim();
      return [{ topic, path, title: head.replace(/^#\s*/, ""), lead: text.split("\n\n")[0] ?? "", text }];
    }),
  );
}

export interface Found {
  guide: Guide;
  /** The line that contains the match. */
  line: string;
}

/** Returns the guides that contain all words; matches in the title first. */
export function search(guides: Guide[], query: string): Found[] {
  const words = fold(query).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const has = (text: string, word: string) => fold(text).includes(word);
  const hits = guides.flatMap((guide) => {
    const inTitle = words.every((word) => has(guide.title, word));
    if (!words.every((word) => has(`${guide.title} ${bare(guide.text)}`, word))) return [];
    const lines = guide.text.split("\n").map((line) => bare(line).replace(/\s+/g, " ").trim());
    const line = lines.find((one) => words.every((word) => has(one, word))) ?? lines.find((one) => words.some((word) => has(one, word)));
    return [{ guide, inTitle, line: inTitle ? bare(guide.lead).trim() : (line ?? bare(guide.lead).trim()) }];
  });
  return hits.sort((a, b) => Number(b.inTitle) - Number(a.inTitle)).map(({ guide, line }) => ({ guide, line }));
}
