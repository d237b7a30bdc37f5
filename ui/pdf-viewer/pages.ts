import { AnnotationMode, type PDFDocumentProxy, type PDFPageProxy, TextLayer } from "pdfjs-dist/legacy/build/pdf.mjs";
import { type Labels, MAX_PAGES, type ScrollKey, type View, type ZoomStep } from "../src/features/content/pdf-messages";
import { canvasRatio, clampZoom, FIT, fitScale, isLargest, isSmallest, pageAt, zoomOf } from "./layout";

/** Milliseconds that a page may take to be drawn. */
const DRAW_TIMEOUT_MS = 20_000;
/** Milliseconds without a change of size before pages are drawn again. */
const RESIZE_PAUSE_MS = 150;
/** The part of the screen's height at which the page in view is determined. */
const READING_LINE = 0.4;
/** The distance that an arrow key scrolls, in pixels. */
const ARROW_STEP = 60;

interface Page {
  number: number;
  element: HTMLElement;
  /** The size in points: that of the first page until the page is loaded. */
  width: number;
  height: number;
  loaded?: PDFPageProxy;
  isNear: boolean;
  /** The scale and pixel ratio at which it is drawn. */
  drawn?: string;
  failed: boolean;
}

const pause = (ms: number) => new Promise<"timeout">((done) => setTimeout(done, ms, "timeout"));

/** The pages of a document, one below the other. Those near the screen are drawn, one after the other. */
export class Pages {
  readonly #document: PDFDocumentProxy;
  readonly #labels: Labels;
  readonly #onView: (view: View) => void;
  readonly #pages: Page[] = [];
  readonly #near: IntersectionObserver;
  /** The width that pages may have, in pixels. */
  #available = 100;
  #zoom = FIT;
  #isDrawing = false;
  #reported = "";

  private constructor(document: PDFDocumentProxy, labels: Labels, onView: (view: View) => void) {
    this.#document = document;
    this.#labels = labels;
    this.#onView = onView;
    this.#near = new IntersectionObserver((entries) => this.#setNear(entries), { rootMargin: "100% 0px" });
  }

  /** Shows a document's pages in the body, and calls `onView` when what is in view changes. */
  static async show(document_: PDFDocumentProxy, labels: Labels, onView: (view: View) => void): Promise<Pages> {
    const pages = new Pages(document_, labels, onView);
    const first = await document_.getPage(1);
    const { width, height } = first.getViewport({ scale: 1 });
    for (let number = 1; number <= Math.min(document_.numPages, MAX_PAGES); number += 1) {
      const element = document.createElement("section");
      element.className = "page";
      element.setAttribute("aria-label", pages.#fill(labels.page, number));
      pages.#pages.push({ number, element, width, height, isNear: false, failed: false });
    }
    document.body.append(...pages.#pages.map(({ element }) => element));
    if (document_.numPages > MAX_PAGES) {
      const more = document.createElement("p");
      more.className = "more";
      more.textContent = pages.#fill(labels.more);
      document.body.append(more);
    }
    pages.#measure();
    pages.#layOut();
    for (const { element } of pages.#pages) pages.#near.observe(element);
    addEventListener("scroll", () => pages.#report(), { passive: true });
    let timer: ReturnType<typeof setTimeout>;
    addEventListener("resize", () => {
      if (pages.#measure()) pages.#keepPlace(() => pages.#layOut());
      pages.#report();
      clearTimeout(timer);
      timer = setTimeout(() => void pages.#draw(), RESIZE_PAUSE_MS);
    });
    pages.#report();
    return pages;
  }

  zoom(step: ZoomStep) {
    const next = step === 0 ? FIT : clampZoom(this.#zoom + step);
    if (next === this.#zoom) return;
    this.#zoom = next;
    this.#keepPlace(() => this.#layOut());
    this.#report();
    void this.#draw();
  }

  scroll(key: ScrollKey) {
    const screen = innerHeight * 0.9;
    const steps = { ArrowUp: -ARROW_STEP, ArrowDown: ARROW_STEP, PageUp: -screen, PageDown: screen, Home: -Infinity, End: Infinity };
    const root = document.documentElement;
    root.scrollTop = Math.max(0, Math.min(root.scrollHeight, root.scrollTop + steps[key]));
    // The event of scrolling comes with the next frame, which a busy browser may not draw for long.
    this.#report();
  }

  #fill(text: string, page = 0) {
    return text.replace("{pages}", String(this.#document.numPages)).replace("{page}", String(page));
  }

  /** Measures the width that pages may have; returns whether it has changed. */
  #measure() {
    const { paddingLeft, paddingRight } = getComputedStyle(document.body);
    const width = document.documentElement.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    const before = this.#available;
    this.#available = Math.max(100, width);
    return this.#available !== before;
  }

  #scaleOf({ width, height }: Page) {
    return fitScale(width, height, this.#available) * zoomOf(this.#zoom);
  }

  /** Gives all pages their sizes, drawn or not, so that the length of the document is known. */
  #layOut() {
    for (const page of this.#pages) this.#size(page);
  }

  #size(page: Page) {
    const scale = this.#scaleOf(page);
    const { style } = page.element;
    style.width = `${Math.max(1, Math.floor(page.width * scale))}px`;
    style.height = `${Math.max(1, Math.floor(page.height * scale))}px`;
    style.setProperty("--total-scale-factor", String(scale));
    style.setProperty("--scale-round-x", "1px");
    style.setProperty("--scale-round-y", "1px");
  }

  /** Makes a change after which the same part of the same page is at the reading line, or still the start in view. */
  #keepPlace(change: () => void) {
    const root = document.documentElement;
    const line = innerHeight * READING_LINE;
    const page = this.#pages[this.#current()];
    if (!page) return change();
    const partOf = () => {
      const { top, height } = page.element.getBoundingClientRect();
      return { top, height };
    };
    const before = partOf();
    const isAtStart = root.scrollTop === 0;
    const middle = (root.scrollLeft + root.clientWidth / 2) / root.scrollWidth;
    change();
    const after = partOf();
    if (!isAtStart) root.scrollTop += after.top + ((line - before.top) / before.height) * after.height - line;
    root.scrollLeft = middle * root.scrollWidth - root.clientWidth / 2;
  }

  #current() {
    const tops = this.#pages.map(({ element }) => element.offsetTop);
    const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
    // The last page may be too short to reach the line.
    const isAtEnd = scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 2;
    return isAtEnd ? this.#pages.length - 1 : pageAt(tops, scrollTop + innerHeight * READING_LINE);
  }

  #report() {
    const index = this.#zoom;
    const view = { page: this.#current() + 1, zoom: zoomOf(index), isSmallest: isSmallest(index), isLargest: isLargest(index) };
    const text = JSON.stringify(view);
    if (text === this.#reported) return;
    this.#reported = text;
    this.#onView(view);
  }

  #setNear(entries: IntersectionObserverEntry[]) {
    for (const { target, isIntersecting } of entries) {
      const page = this.#pages.find(({ element }) => element === target);
      if (!page) continue;
      page.isNear = isIntersecting;
      if (!isIntersecting) this.#release(page);
    }
    void this.#draw();
  }

  /** Frees what a page that is far from the screen holds. */
  #release(page: Page) {
    for (const canvas of page.element.querySelectorAll("canvas")) canvas.width = canvas.height = 0;
    page.element.replaceChildren();
    page.loaded?.cleanup();
    delete page.loaded;
    delete page.drawn;
    page.failed = false;
  }

  /** Draws the near pages that are not drawn as they are shown now, the one in view first. */
  async #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    for (let page = this.#next(); page; page = this.#next()) {
      try {
        await this.#drawPage(page);
      } catch {
        page.failed = true;
        const problem = document.createElement("p");
        problem.className = "problem";
        problem.textContent = this.#labels.pageFailed;
        page.element.replaceChildren(problem);
      }
    }
    this.#isDrawing = false;
  }

  #wanted(page: Page) {
    return `${this.#scaleOf(page)} ${devicePixelRatio}`;
  }

  #next(): Page | undefined {
    const current = this.#current();
    const open = this.#pages.filter((page) => page.isNear && !page.failed && page.drawn !== this.#wanted(page));
    return open.sort((a, b) => Math.abs(a.number - 1 - current) - Math.abs(b.number - 1 - current))[0];
  }

  async #drawPage(page: Page) {
    const started = performance.now();
    const inTime = async <T>(work: Promise<T>, cancel?: () => void): Promise<T> => {
      const result = await Promise.race([work, pause(Math.max(0, DRAW_TIMEOUT_MS - (performance.now() - started)))]);
      if (result !== "timeout") return result as T;
      cancel?.();
      throw new Error("the page takes too long");
    };
    page.loaded ??= await inTime(this.#document.getPage(page.number));
    const loaded = page.loaded;
    const size = loaded.getViewport({ scale: 1 });
    if (size.width !== page.width || size.height !== page.height) {
      page.width = size.width;
      page.height = size.height;
      this.#keepPlace(() => this.#size(page));
    }
    const wanted = this.#wanted(page);
    const viewport = loaded.getViewport({ scale: this.#scaleOf(page) });
    const ratio = canvasRatio(viewport.width, viewport.height, devicePixelRatio || 1);
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.floor(viewport.width * ratio));
    canvas.height = Math.max(1, Math.floor(viewport.height * ratio));
    // Its text is beside it.
    canvas.setAttribute("aria-hidden", "true");
    const drawing = loaded.render({
      canvas,
      viewport,
      transform: [ratio, 0, 0, ratio, 0, 0],
      // Drawn as they look on paper: without their layer, links and fields are pictures only.
      annotationMode: AnnotationMode.ENABLE,
    });
    await inTime(drawing.promise, () => drawing.cancel());
    const text = document.createElement("div");
    text.className = "text";
    const layer = new TextLayer({ textContentSource: loaded.streamTextContent(), container: text, viewport });
    // A page whose text cannot be read is shown all the same.
    await inTime(layer.render(), () => layer.cancel()).catch(() => text.replaceChildren());
    if (!page.isNear) return;
    for (const old of page.element.querySelectorAll("canvas")) old.width = old.height = 0;
    page.element.replaceChildren(canvas, text);
    page.drawn = wanted;
  }
}
