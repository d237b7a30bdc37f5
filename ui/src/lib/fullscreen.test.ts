import { afterEach, expect, it, vi } from "vitest";
import { toggleFullscreen } from "./fullscreen";

function browser(properties: Record<string, unknown>) {
  for (const [name, value] of Object.entries(properties)) Object.defineProperty(document, name, { value, configurable: true });
}

afterEach(() => browser({ fullscreenEnabled: false, fullscreenElement: null }));

it("logs an error when fullscreen is not available", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  browser({ fullscreenEnabled: false });
  await toggleFullscreen();
  expect(said).toHaveBeenCalledWith("Fullscreen is not available in this browser.");
});

it("logs an error when entering fullscreen fails", async () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  browser({ fullscreenEnabled: true, fullscreenElement: null });
  document.documentElement.requestFullscreen = () => Promise.reject(new Error("no"));
  await toggleFullscreen();
  expect(said).toHaveBeenCalledWith("Entering fullscreen mode failed.");
});

it("enters and leaves fullscreen", async () => {
  const enter = vi.fn(() => Promise.resolve());
  const leave = vi.fn(() => Promise.resolve());
  document.documentElement.requestFullscreen = enter;
  browser({ fullscreenEnabled: true, fullscreenElement: null, exitFullscreen: leave });
  await toggleFullscreen();
  expect(enter).toHaveBeenCalledOnce();
  browser({ fullscreenElement: document.documentElement });
  await toggleFullscreen();
  expect(leave).toHaveBeenCalledOnce();
});
