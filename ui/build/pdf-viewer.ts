import { fileURLToPath } from "node:url";
import { build, type Plugin } from "vite";

/** The module whose default export is the address of the page. */
const moduleId = "virtual:pdf-viewer";
/** The module in the page whose default export is the script of the worker. */
const workerId = "virtual:pdf-worker";
const devPath = "/pdf-viewer.html";
const root = fileURLToPath(new URL("..", import.meta.url));

/** Returns the page with a script in it. The script must stay as it is: the server allows it by its hash. */
export function pageOf(code: string): string {
  // The parser of HTML would end the script at these, and change these line ends.
  const script = code
    .replaceAll(/<\/(?=script)/gi, "<\\/")
    .replaceAll("<!--", "<\\!--")
    .replaceAll("\r", "\\r")
    .replaceAll("\0", "\\0");
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>PDF</title></head><body><script>${script}</script></body></html>\n`;
}

/** Builds a file of `pdf-viewer` and all that it imports as one classic script. */
async function buildScript(name: string, plugins: Plugin[] = []): Promise<string> {
  const built = await build({
    root,
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    plugins,
    build: {
      write: false,
      target: "es2022",
      reportCompressedSize: false,
      rolldownOptions: {
        input: `${root}pdf-viewer/${name}`,
        output: { format: "iife", codeSplitting: false },
        // pdf.js reads its address only in Node.
        transform: { define: { "import.meta": "{}" } },
      },
    },
  });
  const [chunk, ...others] = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  if (chunk?.type !== "chunk" || others.length > 0) throw new Error(`${name} must become one script`);
  return chunk.code;
}

let workerScript: Promise<string> | undefined;

async function buildPage(): Promise<string> {
  workerScript ??= buildScript("worker.ts");
  // A document without an origin can start classic workers only, and only from blobs: the page contains the script.
  const worker: Plugin = {
    name: "atrium-pdf-worker",
    resolveId: (id) => (id === workerId ? `\0${workerId}` : undefined),
    load: async (id) => (id === `\0${workerId}` ? `export default ${JSON.stringify(await workerScript)}` : undefined),
  };
  return pageOf(await buildScript("index.ts", [worker]));
}

/**
 * Builds the page that shows PDFs (`pdf-viewer`) as one file with one script, and gives the application its address. A
 * sandboxed page cannot load scripts of the server, because they are for pages of the same origin only.
 */
export function pdfViewer(): Plugin {
  let isBuild = false;
  return {
    name: "atrium-pdf-viewer",
    configResolved({ command }) {
      isBuild = command === "build";
    },
    resolveId: (id) => (id === moduleId ? `\0${moduleId}` : undefined),
    async load(id) {
      if (id !== `\0${moduleId}`) return undefined;
      if (!isBuild) return `export default ${JSON.stringify(devPath)}`;
      const file = this.emitFile({ type: "asset", name: "pdf-viewer.html", source: await buildPage() });
      return `export default import.meta.ROLLUP_FILE_URL_${file}`;
    },
    configureServer({ middlewares }) {
      middlewares.use(devPath, (_, response, next) => {
        buildPage().then((page) => {
          response.setHeader("Content-Type", "text/html; charset=utf-8");
          response.end(page);
        }, next);
      });
    },
  };
}
