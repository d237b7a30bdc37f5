export interface PdfContent {
  /** The lines of each page. */
  pages: string[][];
  /** A script that a reader with scripts runs when the document opens. */
  script?: string;
  /** A web address that the whole first page links to. */
  link?: string;
  /** Whether the document needs a password. */
  locked?: boolean;
}

const escaped = (text: string) => text.replace(/[\\()]/g, "\\$&");
const stream = (text: string) => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;

/** Returns the bytes of a PDF in A4 with lines of text in Helvetica. */
export function createPdf({ pages, script, link, locked }: PdfContent): Buffer<ArrayBuffer> {
  const objects: string[] = [];
  const add = (body: string) => objects.push(body);
  const numberOf = (page: number) => 6 + 2 * page;
  const kids = pages.map((_, page) => `${numberOf(page)} 0 R`).join(" ");
  const action = script ? `<< /S /JavaScript /JS (${escaped(script)}) >>` : "";
  const opening = action ? ` /OpenAction ${action} /AA << /WC ${action} >> /Names << /JavaScript << /Names [(a) ${action}] >> >>` : "";
  add(`<< /Type /Catalog /Pages 2 0 R${opening} >>`);
  add(`<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`);
  add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  add(`<< /Type /Annot /Subtype /Link /Rect [0 0 595 842] /Border [0 0 0] /A << /S /URI /URI (${escaped(link ?? "")}) >> >>`);
  // No password opens it, not even an empty one.
  add(`<< /Filter /Standard /V 1 /R 2 /O <${"5a".repeat(32)}> /U <${"5a".repeat(32)}> /P -4 >>`);
  for (const [page, lines] of pages.entries()) {
    const text = lines.map((line) => `(${escaped(line)}) Tj 0 -28 Td`).join("\n");
    const annotations = link && page === 0 ? " /Annots [4 0 R]" : "";
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents ${numberOf(page) + 1} 0 R${annotations} >>`,
    );
    add(stream(`BT /F 20 Tf 60 760 Td\n${text}\nET`));
  }
  let file = "%PDF-1.7\n";
  const places = objects.map((body, at) => {
    const place = file.length;
    file += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return place;
  });
  const entries = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  const encryption = locked ? ` /Encrypt 5 0 R /ID [<${"5a".repeat(16)}> <${"5a".repeat(16)}>]` : "";
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R${encryption} >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(`${file}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}${trailer}`, "latin1");
}
