/** The address of the page that shows PDFs (`build/pdf-viewer.ts`). */
declare module "virtual:pdf-viewer" {
  const address: string;
  export default address;
}

/** The script of the worker in which pdf.js reads a document; only in that page. */
declare module "virtual:pdf-worker" {
  const script: string;
  export default script;
}
