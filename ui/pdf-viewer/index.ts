/**
 * The page that shows a PDF, in a sandboxed frame of the application. It has no origin and can load nothing: the
 * application sends it the file and what else it needs (`src/features/content/pdf-messages.ts`).
 */
import {
  type AppMessage,
  type FrameMessage,
  type PassedKey,
  type ResourceKind,
  readAppMessage,
  type ZoomStep,
} from "../src/features/content/pdf-messages";
import { failureOf, openDocument } from "./document";
import { Pages } from "./pages";
import style from "./style.css?inline";

const app = window.parent;
// The application's origin is not known here; only pages of the same server can frame this one.
const send = (message: FrameMessage) => app.postMessage(message, "*");

const sheet = new CSSStyleSheet();
sheet.replaceSync(style);
document.adoptedStyleSheets = [sheet];

let pages: Pages | undefined;

const waiting = new Map<number, (bytes: ArrayBuffer | null) => void>();
let lastRequest = 0;

function loadResource(kind: ResourceKind, name: string): Promise<ArrayBuffer> {
  lastRequest += 1;
  const id = lastRequest;
  return new Promise((done, fail) => {
    waiting.set(id, (bytes) => (bytes ? done(bytes) : fail(new Error(`no ${kind} ${name}`))));
    send({ type: "request", id, kind, name });
  });
}

async function open({ bytes, labels }: AppMessage & { type: "open" }) {
  document.documentElement.lang = labels.lang;
  try {
    const opened = await openDocument(bytes, loadResource);
    pages = await Pages.show(opened, labels, (view) => send({ type: "view", ...view }));
    send({ type: "opened", pages: opened.numPages });
  } catch (error) {
    send({ type: "failed", reason: failureOf(error) });
  }
}

addEventListener("message", ({ source, data }: MessageEvent) => {
  const message = source === app ? readAppMessage(data) : undefined;
  if (message?.type === "open") void open(message);
  else if (message?.type === "zoom") pages?.zoom(message.step);
  else if (message?.type === "scroll") pages?.scroll(message.key);
  else if (message) {
    waiting.get(message.id)?.(message.bytes);
    waiting.delete(message.id);
  }
});

const zoomKeys: Record<string, ZoomStep> = { "+": 1, "=": 1, "-": -1, "0": 0 };
const isPassed = (key: string): key is PassedKey => {
  const { scrollWidth, clientWidth } = document.documentElement;
  return key === "Escape" || ((key === "ArrowLeft" || key === "ArrowRight") && scrollWidth <= clientWidth);
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const step = zoomKeys[event.key];
  if (step !== undefined) pages?.zoom(step);
  else if (isPassed(event.key)) send({ type: "key", key: event.key });
  else return;
  event.preventDefault();
});

if (app !== window) send({ type: "ready" });
