/**
 * Prints what a browser loads for the first screens, scripts and styles as Brotli: `<what>\t<kB>\t<goal>` per line.
 * Follows the built page and the static imports of a screen's chunks, so run `npm run build` first.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const names = readdirSync(`${dist}assets`);

/** Returns the chunk that Vite named after a module. */
function chunk(name) {
  const found = names.filter((file) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(file));
  if (found.length !== 1) throw new Error(`${found.length} chunks are called ${name}: was the screen renamed?`);
  return `assets/${found[0]}`;
}

/** Returns the styles of a lazy chunk, as listed by the chunk that imports it. */
function stylesOf(code, file) {
  const list = /__vite__mapDeps=.*?\[([^\]]*)\]/.exec(code)?.[1];
  if (!list) return [];
  const all = [...list.matchAll(/"([^"]+)"/g)].map(([, path]) => path);
  const call = new RegExp(`import\\(["'\`]\\./${file.split("/").pop()}["'\`]\\).{0,40}?__vite__mapDeps\\(\\[([\\d,]*)\\]\\)`).exec(
    code,
  )?.[1];
  return (call ? call.split(",").map((at) => all[Number(at)]) : []).filter((path) => path?.endsWith(".css"));
}

function closure(start) {
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    if (!file.endsWith(".js")) return;
    const code = readFileSync(dist + file, "utf8");
    for (const [, path] of code.matchAll(/(?:from|import)\s*["'`]\.\/([\w.~-]+\.js)["'`]/g)) visit(`assets/${path}`);
    for (const other of start) for (const style of stylesOf(code, other)) visit(style);
  };
  for (const file of start) visit(file);
  return [...seen];
}

const page = readFileSync(`${dist}index.html`, "utf8");
const linked = [...page.matchAll(/<(?:script|link)[^>]+(?:src|href)="\/(assets\/[\w.-]+\.(?:js|css))"/g)].map(([, path]) => path);
const screens = [
  ["sign-in", [chunk("door")], 110],
  ["dashboard in modern", ["door", "frame", "dashboard"].map(chunk), 190],
];
for (const [name, chunks, goal] of screens) {
  const files = closure([...linked, ...chunks]);
  const bytes = files.reduce((sum, file) => sum + statSync(`${dist}${file}.br`).size, 0);
  console.log(`first load ${name} (Brotli)\t${(bytes / 1000).toFixed(0)} kB\t≤ ${goal} kB`);
  if (process.env.FILES) for (const file of files) console.log(`  ${file}\t${statSync(`${dist}${file}.br`).size}`);
}
