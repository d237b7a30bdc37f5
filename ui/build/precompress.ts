import { readdir, readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Plugin } from "vite";

/** Of the pages, those below `assets`: the server fills the page of the application for each company. */
const compressible = /\.(js|css|svg|json|txt|map|wasm)$|^assets\/.*\.html$/;

/** Writes a Brotli and a gzip file beside every asset of a folder. */
export async function compressFolder(dir: string): Promise<void> {
  const names = await readdir(dir, { recursive: true });
  await Promise.all(
    names
      .filter((name) => compressible.test(name))
      .map(async (name) => {
        const path = `${dir}/${name}`;
        const bytes = await readFile(path);
        const [br, gz] = await Promise.all([
          promisify(brotliCompress)(bytes, {
            params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
          }),
          promisify(gzip)(bytes, { level: 9 }),
        ]);
        await Promise.all([writeFile(`${path}.br`, br), writeFile(`${path}.gz`, gz)]);
      }),
  );
}

/**
 * Compresses the build. Runs in `writeBundle`, because only then are the files on the disk final. The page itself is
 * left out, because the server fills it per company.
 */
export function precompress(): Plugin {
  return {
    name: "atrium-precompress",
    apply: "build",
    async writeBundle({ dir }) {
      if (dir) await compressFolder(dir);
    },
  };
}
