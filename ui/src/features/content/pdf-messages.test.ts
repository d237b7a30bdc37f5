import { expect, it } from "vitest";
import { messageOf, readAppMessage, readFrameMessage } from "./pdf-messages";

it("reads the messages of the frame, without members that it does not know", () => {
  for (const message of [
    { type: "ready" },
    { type: "opened", pages: 12 },
    { type: "failed", reason: "password" },
    { type: "view", page: 3, zoom: 1.25, isSmallest: false, isLargest: true },
    { type: "key", key: "Escape" },
    { type: "request", id: 1, kind: "cmap", name: "UniGB-UCS2-H.bcmap" },
  ]) {
    expect(readFrameMessage({ ...message, more: "<script>" })).toEqual(message);
  }
});

it("refuses messages of other shapes", () => {
  for (const message of [
    undefined,
    null,
    "ready",
    [],
    {},
    { type: "close" },
    { type: "opened" },
    { type: "opened", pages: 0 },
    { type: "opened", pages: 1.5 },
    { type: "opened", pages: "12" },
    { type: "failed", reason: "unreachable" },
    { type: "failed", reason: { toString: () => "slow" } },
    { type: "view", page: -1, zoom: 1 },
    { type: "view", page: 1, zoom: Number.NaN },
    { type: "view", page: 1, zoom: 1e9 },
    { type: "key", key: "Enter" },
    { type: "request", id: 1, kind: "script", name: "a.js" },
    { type: "request", id: "1", kind: "font", name: "a.pfb" },
    { type: "request", id: 1, kind: "font", name: ["a.pfb"] },
  ]) {
    expect(readFrameMessage(message), JSON.stringify(message)).toBeUndefined();
  }
});

it("takes messages from the window of the frame only, and only while it has no origin", () => {
  const source = {} as Window;
  const frame = { contentWindow: source } as HTMLIFrameElement;
  const event = (from: Window | null, origin: string) => ({ source: from, origin, data: { type: "ready" } }) as MessageEvent;
  expect(messageOf(frame, event(source, "null"))).toEqual({ type: "ready" });
  expect(messageOf(frame, event(source, location.origin))).toBeUndefined();
  expect(messageOf(frame, event(source, "https://evil.example"))).toBeUndefined();
  expect(messageOf(frame, event({} as Window, "null"))).toBeUndefined();
  expect(messageOf(frame, event(null, "null"))).toBeUndefined();
  expect(messageOf(null, event(null, "null"))).toBeUndefined();
});

// Kind of fault: a receiver of messages trusts their shape.
it("reads the messages of the application, without members that it does not know", () => {
  const labels = { lang: "en", page: "Page {page} of {pages}", pageFailed: "Failed", more: "More" };
  const bytes = new ArrayBuffer(2);
  for (const message of [
    { type: "open", bytes, labels },
    { type: "zoom", step: -1 },
    { type: "scroll", key: "PageDown" },
    { type: "resource", id: 1, bytes },
    { type: "resource", id: 2, bytes: null },
  ]) {
    expect(readAppMessage({ ...message, more: "<script>" })).toEqual(message);
  }
});

it("refuses messages of other shapes in the frame", () => {
  const labels = { lang: "en", page: "", pageFailed: "", more: "" };
  const bytes = new ArrayBuffer(2);
  for (const message of [
    undefined,
    null,
    "open",
    [],
    {},
    { type: "close" },
    { type: "open", labels },
    { type: "open", bytes: "JVBERi0=", labels },
    { type: "open", bytes },
    { type: "open", bytes, labels: null },
    { type: "open", bytes, labels: { ...labels, more: 1 } },
    { type: "zoom", step: 2 },
    { type: "zoom", step: "1" },
    { type: "scroll", key: "Tab" },
    { type: "resource", id: "1", bytes },
    { type: "resource", id: 1 },
    { type: "resource", id: 1, bytes: [1, 2] },
  ]) {
    expect(readAppMessage(message), JSON.stringify(message)).toBeUndefined();
  }
});
