// The worker in which pdf.js reads a document; it starts by itself.
import "pdfjs-dist/legacy/build/pdf.worker.mjs";
