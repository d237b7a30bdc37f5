import { expect, it } from "vitest";
import { bringIntoView } from "./into-view";

/** Creates a box 100 high with content of 300, scrolled by 50, and in it an element from `top` to `bottom`. */
function draw(top: number, bottom: number, overflow = "auto") {
  document.body.innerHTML = `<div style="overflow-y: ${overflow}"><ul><li>Here</li></ul></div>`;
  const box = document.querySelector("div") as HTMLElement;
  const line = document.querySelector("li") as HTMLElement;
  Object.defineProperty(box, "scrollHeight", { value: 300 });
  Object.defineProperty(box, "clientHeight", { value: 100 });
  box.scrollTop = 50;
  box.getBoundingClientRect = () => ({ top: 20, bottom: 120 }) as DOMRect;
  line.getBoundingClientRect = () => ({ top, bottom }) as DOMRect;
  bringIntoView(line);
  return box.scrollTop;
}

it("scrolls only as far as needed", () => {
  expect(draw(30, 60)).toBe(50);
  expect(draw(0, 30)).toBe(30);
  expect(draw(110, 140)).toBe(70);
  expect(draw(110, 140, "hidden")).toBe(50);
});
