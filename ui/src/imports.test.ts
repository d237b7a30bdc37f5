// @vitest-environment node
/** The direction of imports between folders, and the features that other features use. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

/** Folders and files of `src` from the top down. Each may import those below, but none beside it. */
const layers = [
  ["boot"],
  ["main"],
  ["app"],
  ["features", "layouts"],
  ["components"],
  ["records", "shell"],
  ["api", "i18n"],
  ["lib", "theme"],
];

/** The features that each feature uses. The list may only become shorter. */
const usedFeatures: Record<string, string[]> = {
  bin: ["account", "customers", "team"],
  chat: ["account", "content"],
  content: ["files"],
  contact: ["account", "fields", "record-parts", "records"],
  customers: ["account", "contact", "duplicates", "files", "lists", "record-parts", "records", "team"],
  dashboard: ["account", "fields", "setup"],
  deals: ["account", "contact", "fields", "lists", "record-parts", "records", "team"],
  duplicates: ["account", "contact", "fields", "records", "team"],
  events: ["account", "lists", "records", "team"],
  fields: ["team"],
  imports: ["account", "team"],
  lists: ["account", "fields", "setup", "team"],
  notices: ["account", "chat"],
  organizations: ["contact", "duplicates", "files", "lists", "record-parts", "records", "team"],
  pages: ["account", "lists", "record-parts", "records", "team"],
  security: ["account", "auth"],
  settings: ["account", "bin", "fields", "files", "imports", "notices", "security", "setup", "tags", "team"],
  setup: ["account"],
  tags: ["account"],
  tasks: ["account", "chat", "fields", "lists", "records", "team"],
  team: ["account", "chat", "notices", "security"],
  "record-parts": ["account", "content", "fields", "team"],
  records: ["account", "content", "fields", "record-parts", "team"],
  tools: ["account"],
};

/** The files that send requests; all others use the client, which checks calls against the API document. */
const requestUsers = ["api/client.ts", "api/download.ts", "api/upload.ts"];

/** Returns the modules that a file names in `import`, `export from`, `import()` and types. */
function findImports(path: string, code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    let name: ts.Node | undefined;
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) name = node.moduleSpecifier;
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) name = node.arguments[0];
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) name = node.argument.literal;
    if (name && ts.isStringLiteralLike(name)) found.push(name.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, code, ts.ScriptTarget.Latest));
  return found;
}

const root = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(
  (path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path) && !path.startsWith("test/"),
);

/** All imports of a file of `src` by another one, as paths in `src`. */
const imports = files.flatMap((from) =>
  findImports(from, readFileSync(join(root, from), "utf8")).flatMap((name) => {
    const to = name.startsWith("@/") ? name.slice(2) : name.startsWith(".") ? relative(root, join(root, dirname(from), name)) : "..";
    return to.startsWith("..") ? [] : [{ from, to }];
  }),
);

const folderOf = (path: string) => path.split("/")[0]?.replace(/\.tsx?$/, "") ?? "";
const levelOf = (path: string) => layers.findIndex((layer) => layer.includes(folderOf(path)));
const featureOf = (path: string) => (folderOf(path) === "features" ? path.split("/")[1] : undefined);
const isAllowed = ({ from, to }: { from: string; to: string }) => folderOf(from) === folderOf(to) || levelOf(from) < levelOf(to);

it("finds every form of import, and none in comments and texts", () => {
  const code = `
    import a from "./a";
    import type { B } from "./b";
    import "./c";
    export { d } from "./d";
    export * from "./e";
    const f = lazy(() => import("./f"));
    const g: import("./g").G = import(\`./h\`);
    // import x from "./x";
    const text = 'import x from "./x"';
    const element = <p>import x from "./x"</p>;`;
  expect(findImports("file.tsx", code)).toEqual(["./a", "./b", "./c", "./d", "./e", "./f", "./g", "./h"]);
});

it("every file belongs to a layer", () => {
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((path) => levelOf(path) === -1)).toEqual([]);
});

it("files import only from the same folder or a lower layer", () => {
  expect(isAllowed({ from: "lib/zone.ts", to: "api/schema" })).toBe(false);
  expect(isAllowed({ from: "records/editors.ts", to: "shell/presence" })).toBe(false);
  expect(imports.filter((one) => !isAllowed(one)).map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
});

it("features use exactly the declared features", () => {
  const used: Record<string, string[]> = {};
  for (const { from, to } of imports) {
    const [user, feature] = [featureOf(from), featureOf(to)];
    if (user && feature && user !== feature) used[user] = [...new Set([...(used[user] ?? []), feature])].sort();
  }
  // An entry that is no longer needed must be removed from the list.
  expect(used).toEqual(usedFeatures);
});

it("only the client, downloads and uploads send requests", () => {
  const users = imports.filter(({ to }) => to === "api/request").map(({ from }) => from);
  expect(users.sort()).toEqual(requestUsers);
});

it("all forms check their fields in the same way", () => {
  const own = files.filter((path) => /\buseForm\b/.test(readFileSync(join(root, path), "utf8")));
  expect(own).toEqual(["lib/use-field-form.ts"]);
});
