import { afterEach, expect, it, vi } from "vitest";
import { keepScrollAnchor } from "./scroll-anchor";

/** Creates a list with rows 40 pixels high, scrolled by the given pixels. */
function list(names: string[], scrolled: number) {
  document.body.innerHTML = `<div>${names.map((name) => `<a href="#" data-row>${name}</a>`).join("")}</div>`;
  const box = document.body.firstElementChild as HTMLElement;
  let top = scrolled;
  Object.defineProperties(box, { scrollHeight: { value: 2000 }, clientHeight: { value: 400 }, scrollTop: { get: () => top } });
  box.style.overflowY = "auto";
  box.scrollBy = ((options: ScrollToOptions) => {
    top += options.top ?? 0;
  }) as typeof box.scrollBy;
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    const at = [...box.children].indexOf(this);
    return new DOMRect(0, 100 + at * 40 - top, 300, 40);
  });
  const row = (name: string) => [...box.children].find(({ textContent }) => textContent === name) as HTMLElement;
  const add = (name: string) => {
    const made = document.createElement("a");
    made.dataset.row = "";
    made.textContent = name;
    box.prepend(made);
  };
  return { box, row, add, top: () => top };
}

afterEach(() => {
  document.body.innerHTML = "";
});

it("keeps the visible row in place when a row is added above", async () => {
  const { add, top, row } = list(["a", "b", "c", "d"], 80);
  const before = row("c").getBoundingClientRect().top;
  keepScrollAnchor();
  add("new");
  await Promise.resolve();
  expect(row("c").getBoundingClientRect().top).toBe(before);
  expect(top()).toBe(120);
});

it("does not scroll a list at its top when a row is added", async () => {
  const { add, top } = list(["a", "b"], 0);
  keepScrollAnchor();
  add("new");
  await Promise.resolve();
  expect(top()).toBe(0);
});

it("keeps the focused row in place even at the top, and refocuses it after a move", async () => {
  const { box, add, top, row } = list(["a", "b"], 0);
  row("b").focus();
  keepScrollAnchor();
  add("new");
  const moved = row("b");
  moved.remove();
  box.append(moved);
  await Promise.resolve();
  expect(top()).toBe(40);
  expect(document.activeElement).toBe(moved);
});

it("stops once the member scrolls", async () => {
  const { add, top } = list(["a", "b", "c", "d"], 80);
  keepScrollAnchor();
  dispatchEvent(new Event("wheel"));
  add("new");
  await Promise.resolve();
  expect(top()).toBe(80);
});
