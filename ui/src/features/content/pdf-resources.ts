import type { ResourceKind } from "./pdf-messages";

/** Addresses of built files by their paths in the package. */
type Found = Record<string, string>;

// The character maps in UTF-8 and UTF-32 are left out: PDF does not name them.
const cmaps: Found = import.meta.glob(
  ["/node_modules/pdfjs-dist/cmaps/*.bcmap", "!/node_modules/pdfjs-dist/cmaps/*UTF8*", "!/node_modules/pdfjs-dist/cmaps/*UTF32*"],
  { query: "?url", import: "default", eager: true },
);
const fonts: Found = import.meta.glob("/node_modules/pdfjs-dist/standard_fonts/*.{pfb,ttf}", {
  query: "?url",
  import: "default",
  eager: true,
});
const decoders: Found = import.meta.glob("/node_modules/pdfjs-dist/wasm/{jbig2,openjpeg}.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});

const byName = (found: Found) => new Map(Object.entries(found).map(([path, url]) => [path.slice(path.lastIndexOf("/") + 1), url]));

const urls: Record<ResourceKind, Map<string, string>> = { cmap: byName(cmaps), font: byName(fonts), wasm: byName(decoders) };

/** Loads a file of pdf.js for the frame, which can load nothing. Names that are not in the build have no file. */
export async function loadResource(kind: ResourceKind, name: string): Promise<ArrayBuffer | null> {
  const url = urls[kind].get(name);
  if (!url) return null;
  const response = await fetch(url);
  return response.ok ? response.arrayBuffer() : null;
}
