/** Sizes in the viewer of PDFs. Lengths of pages are in points, all others in CSS pixels. */

/** The zoom, as multiples of the width that fits. */
const zooms = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4] as const;
/** The index of the zoom that fits. */
export const FIT = 2;

export const zoomOf = (index: number): number => zooms[index] ?? 1;
export const isSmallest = (index: number) => index <= 0;
export const isLargest = (index: number) => index >= zooms.length - 1;
export const clampZoom = (index: number) => Math.max(0, Math.min(zooms.length - 1, index));

const CSS_PIXELS_PER_POINT = 96 / 72;
/** A page that fits is at most this much larger than on paper. */
const MAX_ENLARGEMENT = 1.25;
/** The longest side of a page at the zoom that fits. */
const MAX_SIDE = 8_000;
/** The most pixels of a canvas: 32 MB of memory. */
const MAX_CANVAS_PIXELS = 8_000_000;
/** The longest side of a canvas that all browsers support. */
const MAX_CANVAS_SIDE = 8_192;

/** The length in points of a page's side, which a document may state as anything. */
const side = (length: number) => (Number.isFinite(length) ? Math.max(1, length) : 1);

/** Returns the CSS pixels per point at which a page fits into a width. */
export function fitScale(width: number, height: number, available: number): number {
  const scale = Math.min(available / side(width), CSS_PIXELS_PER_POINT * MAX_ENLARGEMENT);
  return Math.min(scale, MAX_SIDE / side(Math.max(width, height)));
}

/** Returns the canvas pixels per CSS pixel of a page: those of the screen, or fewer if the canvas would be too large. */
export function canvasRatio(width: number, height: number, screen: number): number {
  const byArea = Math.sqrt(MAX_CANVAS_PIXELS / (width * height));
  return Math.min(screen, byArea, MAX_CANVAS_SIDE / Math.max(width, height));
}

/** Returns the index of the page at a height; `tops` are the upper edges of all pages, in order. */
export function pageAt(tops: readonly number[], height: number): number {
  let low = 0;
  let high = tops.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((tops[middle] ?? 0) <= height) low = middle;
    else high = middle - 1;
  }
  return low;
}
