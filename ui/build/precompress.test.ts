import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { compressFolder } from "./precompress";

it("writes compressed copies beside scripts, styles and the pages of assets, and none of the page", async () => {
  const dir = await mkdtemp(`${tmpdir()}/assets-`);
  try {
    await mkdir(`${dir}/assets`);
    await writeFile(`${dir}/index.html`, "<!doctype html>");
    await writeFile(`${dir}/assets/a.js`, "export const a = 1;\n".repeat(100));
    await writeFile(`${dir}/assets/a.css`, "a { color: red }\n".repeat(100));
    await writeFile(`${dir}/assets/a.html`, "<!doctype html>".repeat(100));
    await writeFile(`${dir}/assets/a.woff2`, "font");
    await compressFolder(dir);
    for (const name of ["a.js", "a.css", "a.html"]) {
      const plain = await readFile(`${dir}/assets/${name}`);
      expect(brotliDecompressSync(await readFile(`${dir}/assets/${name}.br`)).equals(plain)).toBe(true);
      expect(gunzipSync(await readFile(`${dir}/assets/${name}.gz`)).equals(plain)).toBe(true);
    }
    expect((await readdir(dir)).sort()).toEqual(["assets", "index.html"]);
    expect(await readdir(`${dir}/assets`)).not.toContain("a.woff2.br");
  } finally {
    await rm(dir, { recursive: true });
  }
});
