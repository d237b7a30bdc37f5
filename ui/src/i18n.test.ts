import { beforeEach, expect, it, vi } from "vitest";
import { Answer, standInServer } from "@/test/server";
import en from "../../i18n/en.json";
import es from "../../i18n/es.json";

const server = standInServer();

async function fresh() {
  vi.resetModules();
  const { default: i18n } = await import("i18next");
  return { i18n, ...(await import("./i18n")) };
}

beforeEach(() => {
  localStorage.clear();
  document.documentElement.lang = "";
  server.on("GET /i18n/en.json", () => ({ ui: { hello: "Hello" }, only: "English only" }));
  server.on("GET /i18n/es.json", () => ({ ui: { hello: "Hola" } }));
});

it("starts in English by default, and switches at once", async () => {
  const { i18n, startI18n, setLanguage } = await fresh();
  await startI18n();
  expect(document.documentElement.lang).toBe("en");
  expect(i18n.t("ui.hello" as never)).toBe("Hello");
  await setLanguage("es");
  expect(document.documentElement.lang).toBe("es");
  expect(i18n.t("ui.hello" as never)).toBe("Hola");
  expect(i18n.t("only" as never)).toBe("English only");
});

it("shows British English with the other texts from English", async () => {
  server.on("GET /i18n/en-GB.json", () => ({ ui: { hello: "Good day" } }));
  const { i18n, startI18n } = await fresh();
  await startI18n("en-GB");
  expect(document.documentElement.lang).toBe("en-GB");
  expect([i18n.t("ui.hello" as never), i18n.t("only" as never)]).toEqual(["Good day", "English only"]);
  expect(i18n.resolvedLanguage).toBe("en-GB");
});

it("starts with the last choice, else the company's language", async () => {
  const first = await fresh();
  await first.startI18n("es");
  expect(first.i18n.language).toBe("es");
  first.rememberLanguage("en");
  const second = await fresh();
  await second.startI18n("es");
  expect(second.i18n.language).toBe("en");
});

it("warns of a missing key and shows the key", async () => {
  const said = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const { i18n, startI18n } = await fresh();
  await startI18n();
  expect(i18n.t("ui.nowhere" as never)).toBe("ui.nowhere");
  expect(said).toHaveBeenCalledWith("Missing translation for 'ui.nowhere'");
});

it("retries a chosen language twice, then falls back to English", async () => {
  vi.useFakeTimers();
  try {
    const { i18n, startI18n, setLanguage } = await fresh();
    const started = startI18n();
    await vi.runAllTimersAsync();
    await started;
    server.on("GET /i18n/es.json", () => new Answer(503));
    const switched = setLanguage("es");
    await vi.runAllTimersAsync();
    await switched;
    expect(server.sent("GET /i18n/es.json")).toHaveLength(3);
    expect(i18n.language).toBe("en");
  } finally {
    vi.useRealTimers();
  }
});

it("fails with the specified message when the fallback fails too", async () => {
  vi.useFakeTimers();
  try {
    server.on("GET /i18n/en.json", () => new Answer(503));
    server.on("GET /i18n/es.json", () => new Answer(503));
    const { startI18n } = await fresh();
    const started = expect(startI18n("es")).rejects.toThrow("Unable to load translation and all the fallback languages");
    await vi.runAllTimersAsync();
    await started;
    expect(server.sent("GET /i18n/es.json")).toHaveLength(3);
    expect(server.sent("GET /i18n/en.json")).toHaveLength(3);
  } finally {
    vi.useRealTimers();
  }
});

it("requests a failing language three times at start, then shows the fallback", async () => {
  vi.useFakeTimers();
  try {
    server.on("GET /i18n/es.json", () => new Answer(503));
    const { i18n, startI18n } = await fresh();
    const started = startI18n("es");
    await vi.runAllTimersAsync();
    await started;
    expect(server.sent("GET /i18n/es.json")).toHaveLength(3);
    expect(i18n.language).toBe("en");
    expect(document.documentElement.lang).toBe("en");
  } finally {
    vi.useRealTimers();
  }
});

it("names each language in that language", async () => {
  const { languageName } = await fresh();
  expect(languageName("en")).toBe("English");
  expect(languageName("es")).toBe("Español");
  expect(languageName("en-GB")).toBe("British English");
});

// A text that says who sees something is complete: administrators do, too (F-U4).
it.each([
  ["en", en],
  ["es", es],
])("in %s every narrow visibility names administrators", (_, { ui }) => {
  const { me, author, people_one, people_other, onlyAuthor, nobody } = ui.visibility;
  for (const text of [me, author, people_one, people_other, onlyAuthor, nobody, ui.pages.draftText]) {
    expect(text).toMatch(/administrators|administradores/i);
  }
});
