import { expect, it } from "vitest";
import { hasPreview, isPdf } from "./preview";

const file = (name: string, mediaType: string) => ({ name, mediaType, path: "/media/x", size: 1 });

it("recognizes PDFs by media type or name", () => {
  for (const [name, type, expected] of [
    ["offer.pdf", "application/pdf", true],
    ["offer", "application/pdf", true],
    ["OFFER.PDF", "application/octet-stream", true],
    ["offer.pdf", "text/plain", true],
    ["offer.pdf", "image/png", false],
    ["offer.pdf.exe", "application/octet-stream", false],
    ["pdf", "application/octet-stream", false],
    ["offer.pdf", "image/svg+xml", false],
  ] as const) {
    expect(isPdf(file(name, type)), `${name} ${type}`).toBe(expected);
  }
});

it("opens pictures and PDFs, and leaves all other files to be downloaded", () => {
  expect(hasPreview(file("van.png", "image/png"))).toBe(true);
  expect(hasPreview(file("offer.pdf", "application/pdf"))).toBe(true);
  for (const [name, type] of [
    ["page.html", "text/html"],
    ["drawing.svg", "image/svg+xml"],
    ["list.txt", "text/plain"],
  ] as const) {
    expect(hasPreview(file(name, type)), name).toBe(false);
  }
});
