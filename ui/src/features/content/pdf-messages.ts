/**
 * The messages between the application and the frame that shows a PDF (`pdf-viewer`). The frame reads files of others,
 * so the application takes nothing from it but these shapes; nor does the frame from the application.
 */

/** The largest file that is shown, in bytes. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** The number of pages that are shown of a document. */
export const MAX_PAGES = 500;
/** Milliseconds that a document may take to open. */
export const OPEN_TIMEOUT_MS = 30_000;

/** Why a document is not shown. */
export const failures = ["password", "damaged", "large", "slow"] as const;
export type Failure = (typeof failures)[number];

/** The files that pdf.js needs for some documents: character maps, fonts, and decoders of pictures. */
export const resourceKinds = ["cmap", "font", "wasm"] as const;
export type ResourceKind = (typeof resourceKinds)[number];

/** Keys that the frame passes on while it has the focus. */
export const passedKeys = ["Escape", "ArrowLeft", "ArrowRight"] as const;
export type PassedKey = (typeof passedKeys)[number];

/** Keys that scroll the document, also while the focus is outside the frame. */
export const scrollKeys = ["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"] as const;
export type ScrollKey = (typeof scrollKeys)[number];

/** Texts in the frame, in the member's language. `{page}` and `{pages}` are filled in by the frame. */
export interface Labels {
  lang: string;
  page: string;
  pageFailed: string;
  /** Stands below the last page that is shown of a longer document. */
  more: string;
}

/** Changes the zoom by a step, or with 0 back to the width of the frame. */
export type ZoomStep = -1 | 0 | 1;

/** What the application sends. */
export type AppMessage =
  | { type: "open"; bytes: ArrayBuffer; labels: Labels }
  | { type: "zoom"; step: ZoomStep }
  | { type: "scroll"; key: ScrollKey }
  | { type: "resource"; id: number; bytes: ArrayBuffer | null };

/** What the reader sees: the page, and the zoom as a multiple of the frame's width. */
export interface View {
  page: number;
  zoom: number;
  isSmallest: boolean;
  isLargest: boolean;
}

/** What the frame sends. */
export type FrameMessage =
  | { type: "ready" }
  | { type: "opened"; pages: number }
  | { type: "failed"; reason: Failure }
  | ({ type: "view" } & View)
  | { type: "key"; key: PassedKey }
  | { type: "request"; id: number; kind: ResourceKind; name: string };

const isOneOf = <T extends string>(value: unknown, all: readonly T[]): value is T => all.some((one) => one === value);
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** Returns the message of the frame, rebuilt from its known fields; undefined if it has another shape. */
export function readFrameMessage(data: unknown): FrameMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, pages, reason, page, zoom, isSmallest, isLargest, key, id, kind, name } = data as Record<string, unknown>;
  switch (type) {
    case "ready":
      return { type };
    case "opened":
      return isCount(pages) && pages > 0 ? { type, pages } : undefined;
    case "failed":
      return isOneOf(reason, failures) ? { type, reason } : undefined;
    case "view":
      if (!isCount(page) || typeof zoom !== "number" || !(zoom > 0 && zoom <= 100)) return undefined;
      return { type, page, zoom, isSmallest: isSmallest === true, isLargest: isLargest === true };
    case "key":
      return isOneOf(key, passedKeys) ? { type, key } : undefined;
    case "request":
      return isCount(id) && isOneOf(kind, resourceKinds) && typeof name === "string" ? { type, id, kind, name } : undefined;
    default:
      return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

function readLabels(data: unknown): Labels | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { lang, page, pageFailed, more } = data as Record<string, unknown>;
  return isText(lang) && isText(page) && isText(pageFailed) && isText(more) ? { lang, page, pageFailed, more } : undefined;
}

/** Returns the message of the application, rebuilt from its known fields; undefined if it has another shape. */
export function readAppMessage(data: unknown): AppMessage | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { type, bytes, labels, step, key, id } = data as Record<string, unknown>;
  switch (type) {
    case "open": {
      const texts = readLabels(labels);
      return bytes instanceof ArrayBuffer && texts ? { type, bytes, labels: texts } : undefined;
    }
    case "zoom":
      return step === -1 || step === 0 || step === 1 ? { type, step } : undefined;
    case "scroll":
      return isOneOf(key, scrollKeys) ? { type, key } : undefined;
    case "resource":
      return isCount(id) && (bytes === null || bytes instanceof ArrayBuffer) ? { type, id, bytes } : undefined;
    default:
      return undefined;
  }
}

/**
 * Returns the message if it comes from this frame. A sandboxed frame has no origin, which is `"null"`: a frame that has
 * the application's is not sandboxed, and gets no document.
 */
export function messageOf(frame: HTMLIFrameElement | null, event: MessageEvent): FrameMessage | undefined {
  const window = frame?.contentWindow;
  return window && event.source === window && event.origin === "null" ? readFrameMessage(event.data) : undefined;
}
