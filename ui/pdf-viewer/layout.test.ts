import { expect, it } from "vitest";
import { canvasRatio, clampZoom, FIT, fitScale, isLargest, isSmallest, pageAt, zoomOf } from "./layout";

it("fits pages to the width, and enlarges them by a quarter at most", () => {
  expect(595 * fitScale(595, 842, 300)).toBeCloseTo(300);
  expect(fitScale(595, 842, 5000)).toBeCloseTo((96 / 72) * 1.25);
});

it("bounds pages of any stated size", () => {
  for (const [width, height] of [
    [1, 1e9],
    [1e9, 1],
    [0, 0],
    [-5, 100],
    [Number.NaN, 100],
    [Number.POSITIVE_INFINITY, 1],
  ] as const) {
    const scale = fitScale(width, height, 1000);
    expect(scale > 0 && Number.isFinite(scale), `${width} ${height}`).toBe(true);
    for (const side of [width, height]) if (Number.isFinite(side)) expect(side * scale).toBeLessThanOrEqual(8_001);
  }
});

it("bounds the pixels of a canvas by area and by side", () => {
  expect(canvasRatio(800, 1000, 2)).toBe(2);
  for (const [width, height] of [
    [4000, 5000],
    [10, 32_000],
    [32_000, 10],
  ] as const) {
    const ratio = canvasRatio(width, height, 3);
    expect(width * height * ratio ** 2).toBeLessThanOrEqual(8_000_001);
    expect(Math.max(width, height) * ratio).toBeLessThanOrEqual(8_193);
  }
});

it("zooms in steps between a half and four times the fitting width", () => {
  expect(zoomOf(FIT)).toBe(1);
  expect(zoomOf(clampZoom(-3))).toBe(0.5);
  expect(zoomOf(clampZoom(99))).toBe(4);
  expect([isSmallest(0), isSmallest(FIT), isLargest(FIT), isLargest(7)]).toEqual([true, false, false, true]);
});

it("finds the page at a height", () => {
  const tops = [4, 1000, 2000];
  for (const [height, page] of [
    [0, 0],
    [999, 0],
    [1000, 1],
    [9999, 2],
  ] as const) {
    expect(pageAt(tops, height)).toBe(page);
  }
  expect(pageAt([], 10)).toBe(0);
});
