import { marked } from "marked";
import { matchRoutes } from "react-router";
import { expect, it } from "vitest";
import { contents, topics } from "@/features/help/contents";
import { type Guide, guidesOf, search } from "@/features/help/guide";
import en from "@/features/help/guides/en";
import es from "@/features/help/guides/es";
import { routes } from "./routes";

const languages = { en, es };
const known = topics.flatMap((topic) => contents[topic].map((name) => `${topic}/${name}`));

/** Returns the targets of a guide's links. */
function links({ text }: Guide): string[] {
  const found: string[] = [];
  marked.walkTokens(marked.lexer(text), (token) => {
    if (token.type === "link") found.push(token.href);
  });
  return found;
}

it.each(Object.entries(languages))("has every guide in %s, and no other file", (_language, files) => {
  expect(Object.keys(files)).toHaveLength(known.length);
  const guides = guidesOf(files);
  expect(guides.map(({ path }) => path)).toEqual(known);
  for (const { path, title, lead } of guides) expect(title.length > 3 && lead.length > 20 && !lead.startsWith("#"), path).toBe(true);
});

it("guides have the same structure and links in both languages", () => {
  const shape = (guide: Guide) => ({ path: guide.path, links: links(guide), parts: marked.lexer(guide.text).map(({ type }) => type) });
  expect(guidesOf(es).map(shape)).toEqual(guidesOf(en).map(shape));
});

it("guides in British English differ from the American ones only in their words", async () => {
  const { british } = await import("@/features/help/british");
  const guides = guidesOf(british(en));
  expect(guides.map(links)).toEqual(guidesOf(en).map(links));
  const text = guides.map((guide) => guide.text).join("\n");
  expect(text).toContain("colour schemes");
  expect(text).toContain("[the bin](/settings/data/bin)");
  const words = text.replace(/\]\([^)]*\)/g, "]");
  expect(words.match(/\b(colors?|gray|canceled|centered|recogniz\w*|organiz\w*|trash)\b/gi)).toBeNull();
});

it("guides link only to existing pages", () => {
  for (const guide of [...guidesOf(en), ...guidesOf(es)]) {
    for (const link of links(guide)) {
      const [path = ""] = link.split(/[?#]/);
      const way = matchRoutes(routes, path)?.map(({ route }) => route.path ?? "") ?? [];
      expect(way.length > 1 && !way.includes("*") && !way.includes("docs/*"), `${guide.path} links to ${link}`).toBe(true);
      if (path.startsWith("/docs/guides/")) expect(known, guide.path).toContain(path.replace("/docs/guides/", ""));
    }
  }
});

it("search finds guides by their words ignoring accents, title matches first", () => {
  const found = search(guidesOf(es), "paginas");
  expect(found[0]?.guide.path).toBe("work/pages");
  expect(found.length).toBeGreaterThan(2);
  expect(search(guidesOf(en), "wholesale label")[0]).toMatchObject({ guide: { path: "work/customers" } });
  expect(search(guidesOf(en), "zzz")).toEqual([]);
  expect(search(guidesOf(en), "docs/guides"), "addresses are no words").toEqual([]);
});

it.each([
  ["/apps/contacts", "/customers"],
  ["/apps/contacts/17", "/customers"],
  ["/apps/tasks", "/tasks"],
  ["/apps/mailbox", "/messages"],
  ["/docs", "/apps/help-center"],
])("%s leads to %s", async (from, to) => {
  const route = matchRoutes(routes, from)?.at(-1)?.route;
  if (typeof route?.loader !== "function") throw new Error("nothing leads on");
  const answer = (await route.loader({} as never)) as Response;
  expect(answer.headers.get("Location")).toBe(to);
});
