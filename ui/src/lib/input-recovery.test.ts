import { afterEach, beforeEach, expect, it } from "vitest";
import { canRestoreInput, discardRecovery, hasRecovery, restoreInput, saveRecovery, trackInput } from "./input-recovery";

let stop: () => void;

beforeEach(() => {
  sessionStorage.clear();
  history.replaceState(null, "", "/settings/account");
  stop = trackInput();
});
afterEach(() => stop());

function draw() {
  document.body.innerHTML = `
    <label>Name <input name="name" value="Mira"></label>
    <input aria-label="Tag" value="a"><input aria-label="Tag" value="b">
    <textarea aria-label="About"></textarea>
    <input type="password" aria-label="Password">
    <input data-secret aria-label="First password">
    <input type="search" aria-label="Search customers">
    <div role="search"><input aria-label="Search"></div>`;
}
const field = (label: string, at = 0) => document.querySelectorAll<HTMLInputElement>(`[aria-label="${label}"]`)[at] as HTMLInputElement;
function type(element: HTMLInputElement, text: string) {
  element.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
  element.value = text;
}
const name = () => document.querySelector<HTMLInputElement>("[name=name]") as HTMLInputElement;

it("restores typed text in the same fields, for the same member on the same screen", () => {
  draw();
  type(name(), "Mira O.");
  type(field("Tag", 1), "beta");
  type(field("About"), "Likes\ntea");
  saveRecovery("u1");

  draw();
  expect(canRestoreInput("u2")).toBe(false);
  expect(canRestoreInput("u1")).toBe(true);
  history.replaceState(null, "", "/tasks");
  expect(canRestoreInput("u1")).toBe(false);
  history.replaceState(null, "", "/settings/account");
  const heard: string[] = [];
  document.body.addEventListener("input", ({ target }) => heard.push((target as HTMLInputElement).value), { once: true });
  restoreInput("u1");
  expect([name().value, field("Tag").value, field("Tag", 1).value, field("About").value]).toEqual(["Mira O.", "a", "beta", "Likes\ntea"]);
  expect(heard).toEqual(["Mira O."]);
  expect(hasRecovery("u1")).toBe(false);
});

it("saves text typed into a field that was focused before tracking started", () => {
  stop();
  draw();
  name().focus();
  stop = trackInput();
  name().value = "Mira O.";
  saveRecovery("u1");
  draw();
  expect(canRestoreInput("u1")).toBe(true);
});

it("saves no passwords, searches or unchanged fields", () => {
  draw();
  type(field("Password"), "secret");
  type(field("First password"), "secret");
  type(field("Search customers"), "acme");
  type(field("Search"), "acme");
  type(name(), "Mira");
  saveRecovery("u1");
  expect(hasRecovery("u1")).toBe(false);
});

it("offers no text that is already in the field, and forgets discarded text", () => {
  draw();
  type(name(), "Mira O.");
  saveRecovery("u1");
  draw();
  name().value = "Mira O.";
  expect(canRestoreInput("u1")).toBe(false);
  name().value = "";
  expect(canRestoreInput("u1")).toBe(true);
  discardRecovery("u1");
  expect(canRestoreInput("u1")).toBe(false);
});
