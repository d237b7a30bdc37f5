import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { keepFocus } from "./keep-focus";

let stop: () => void;
const focused = () => document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label");
const find = (selector: string) => document.querySelector(selector) as HTMLElement;

beforeEach(() => {
  document.body.innerHTML = "<main id=content tabindex=-1></main>";
  stop = keepFocus();
});
afterEach(() => {
  stop();
  document.body.innerHTML = "";
  history.replaceState(null, "", "/");
});

it("focuses the same part of the next row, else of the previous one, else the nearest control", async () => {
  const row = (name: string) => `<li data-item><input type="checkbox" aria-label="${name}"><a href="#">${name}</a></li>`;
  find("main").innerHTML = `<h2><button>Section</button></h2><ul>${row("a")}${row("b")}</ul><ul>${row("c")}</ul>`;
  const rows = [...document.querySelectorAll("li")];
  rows[1]?.querySelector("a")?.focus();
  rows[1]?.remove();
  await vi.waitFor(() => expect(focused()).toBe("c"));
  // The list goes with its last row.
  rows[2]?.parentElement?.remove();
  await vi.waitFor(() => expect(focused()).toBe("a"));
  rows[0]?.remove();
  await vi.waitFor(() => expect(focused()).toBe("Section"));
});

it("focuses the field of the next item rather than its Remove button, else the Add button", async () => {
  const item = (name: string) => `<li><input aria-label="${name}"><button>Remove ${name}</button></li>`;
  find("main").innerHTML = `<div role=dialog><button>Delete</button><ul>${item("a")}${item("b")}</ul><button>Add</button></div>`;
  const [one, two] = [...document.querySelectorAll("li")];
  one?.querySelector("button")?.focus();
  one?.remove();
  await vi.waitFor(() => expect(focused()).toBe("b"));
  two?.querySelector("button")?.focus();
  two?.remove();
  await vi.waitFor(() => expect(focused()).toBe("Add"));
});

it("focuses a new element marked data-refocus, and the heading after navigation", async () => {
  find("main").innerHTML = "<article><button>Edit</button></article>";
  find("button").focus();
  find("main").innerHTML = "<form><button>Bold</button><input data-refocus aria-label=Title></form>";
  await vi.waitFor(() => expect(focused()).toBe("Title"));
  history.replaceState(null, "", "/other");
  find("main").innerHTML = "<button>Other</button>";
  // It may still load.
  find("main").append(Object.assign(document.createElement("h1"), { textContent: "Loaded", tabIndex: -1 }));
  await vi.waitFor(() => expect(focused()).toBe("Loaded"));
});

it("focuses the neighbour of the button that opened a dialog when both are gone", async () => {
  find("main").innerHTML = "<ul><li><button>One</button></li><li><button>Two</button></li></ul>";
  find("button").focus();
  document.body.insertAdjacentHTML("beforeend", "<div role=dialog><button>Delete</button></div>");
  find("[role=dialog] button").focus();
  find("li").remove();
  find("[role=dialog]").remove();
  await vi.waitFor(() => expect(focused()).toBe("Two"));
});

it("does not move the focus when a removal did not cause its loss", async () => {
  find("main").innerHTML = "<p><button>One</button></p><p><button>Two</button></p>";
  find("button").focus();
  find("button").blur();
  find("p + p").remove();
  await new Promise((done) => setTimeout(done, 100));
  expect(document.activeElement).toBe(document.body);
});
