import workerCode from "virtual:pdf-worker";
import { getDocument, type PDFDocumentProxy, PDFWorker, VerbosityLevel } from "pdfjs-dist/legacy/build/pdf.mjs";
import type { Failure, ResourceKind } from "../src/features/content/pdf-messages";

/** The most pixels of a picture in a page; larger ones are left out. A sheet of A4 at 600 dpi has 35 million. */
const MAX_PICTURE_PIXELS = 40_000_000;
/** The memory of a decoded picture, in bytes; larger ones are scaled down. */
const MAX_PICTURE_BYTES = 64 * 1024 * 1024;

/** Loads a file of pdf.js. */
export type LoadResource = (kind: ResourceKind, name: string) => Promise<ArrayBuffer>;

interface TrustedTypes {
  createPolicy: (name: string, rules: { createScriptURL: (url: string) => string }) => { createScriptURL: (url: string) => string };
}

/** Creates the address of the worker's script. A document without an origin can only have workers of its own blobs. */
function workerUrl(): string {
  const url = URL.createObjectURL(new Blob([workerCode], { type: "text/javascript" }));
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  // The policy knows one address; `Worker` takes what it returns as a string.
  const policy = trustedTypes?.createPolicy("viewer", { createScriptURL: (wanted) => (wanted === url ? url : "") });
  return policy ? policy.createScriptURL(url) : url;
}

const kinds: Record<string, ResourceKind> = { cMapUrl: "cmap", standardFontDataUrl: "font", wasmUrl: "wasm" };

/** Opens a document in a worker. Its scripts, actions and attachments are never read; its fields are only drawn. */
export async function openDocument(bytes: ArrayBuffer, load: LoadResource): Promise<PDFDocumentProxy> {
  const port = new Worker(workerUrl());
  const broken = new Promise<never>((_, fail) => port.addEventListener("error", () => fail(new Error("the worker ended"))));
  const verbosity = VerbosityLevel.ERRORS;
  const { promise } = getDocument({
    data: new Uint8Array(bytes),
    worker: PDFWorker.create({ port, verbosity }),
    verbosity,
    enableXfa: false,
    maxImageSize: MAX_PICTURE_PIXELS,
    canvasMaxAreaInBytes: MAX_PICTURE_BYTES,
    // The fonts of the reader's system would make pages look different, and reveal which there are.
    useSystemFonts: false,
    useWorkerFetch: false,
    BinaryDataFactory: class {
      async fetch({ kind, filename }: { kind: string; filename: string }) {
        const known = kinds[kind];
        if (!known) throw new Error(`unknown kind of file: ${kind}`);
        return new Uint8Array(await load(known, filename));
      }
    },
  });
  return Promise.race([promise, broken]);
}

/** Returns why a document could not be opened. */
export const failureOf = (error: unknown): Failure =>
  error instanceof Error && error.name === "PasswordException" ? "password" : "damaged";
