import { expect, it, vi } from "vitest";
import { startTypeAhead, takeTypeAhead } from "./type-ahead-buffer";

const press = (key: string, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  document.body.dispatchEvent(event);
  return event.defaultPrevented;
};

it("buffers typed characters and Enter until taken", () => {
  startTypeAhead(() => undefined);
  for (const key of ["j", "ñ", " ", "😀", "a", "Backspace", "Shift", "ArrowDown"]) press(key);
  expect(press("c", { ctrlKey: true })).toBe(false);
  expect(press("Tab")).toBe(false);
  press("Enter");
  expect(takeTypeAhead()).toEqual({ text: "jñ 😀", entered: true });
  expect(press("x")).toBe(false);
  expect(takeTypeAhead()).toEqual({ text: "", entered: false });
});

it("stops on Escape, and calls the callback", () => {
  const escaped = vi.fn();
  startTypeAhead(escaped);
  press("x");
  press("Escape");
  expect(escaped).toHaveBeenCalledOnce();
  expect(press("y")).toBe(false);
  expect(takeTypeAhead().text).toBe("");
});
