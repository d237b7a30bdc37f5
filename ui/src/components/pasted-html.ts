import DOMPurify from "dompurify";
import { cleanFragment, richTags } from "./html";

/** What says how pasted text looked: taken off again once it is read. */
const looks = {
  ALLOWED_TAGS: [...richTags, "span", "div", "font", "del"],
  ALLOWED_ATTR: ["href", "style", "class"],
  RETURN_DOM_FRAGMENT: true as const,
};
const HEAVY = 600;
/** The marks that a tag means unless its style says otherwise, and that a style means by itself. */
const marks = [
  { tag: "strong", names: "b, strong", style: "font-weight", is: (value: string) => value.startsWith("bold") || Number(value) >= HEAVY },
  { tag: "em", names: "i, em", style: "font-style", is: (value: string) => value === "italic" || value === "oblique" },
  { tag: "u", names: "u", style: "text-decoration", is: (value: string) => value.includes("underline") },
  { tag: "s", names: "s, del", style: "text-decoration", is: (value: string) => value.includes("line-through") },
];

/** Reads one declaration; properties of Word are none that a browser knows. */
function styleOf(element: Element, property: string): string {
  const style = element.getAttribute("style") ?? "";
  const declaration = style.split(";").find((one) => one.split(":")[0]?.trim().toLowerCase() === property);
  return (
    declaration
      ?.slice(declaration.indexOf(":") + 1)
      .trim()
      .toLowerCase() ?? ""
  );
}

/** Puts an element around the children of another. */
function surround(element: Element, tag: string): void {
  const mark = document.createElement(tag);
  mark.append(...element.childNodes);
  element.append(mark);
}

/**
 * Lets weight and style decide, not the tag: Google Docs puts everything into a `b` of normal weight, and marks bold text
 * by the weight of a span.
 */
function readMarks(root: DocumentFragment): void {
  for (const { tag, names, style, is } of marks) {
    for (const element of root.querySelectorAll(names)) {
      const said = styleOf(element, style);
      if (said !== "" && !is(said)) element.replaceWith(...element.childNodes);
    }
    for (const element of root.querySelectorAll("span, font")) {
      // A link is underlined anyway.
      if (is(styleOf(element, style)) && !(tag === "u" && element.closest("a"))) surround(element, tag);
    }
  }
}

/** The level of a paragraph that Word means as an item of a list. */
const levelOf = (element: Element | null) => Number(/level(\d+)/.exec(element ? styleOf(element, "mso-list") : "")?.[1] ?? 0);

/** Takes the bullet or number off an item, and says whether it is a number. */
function takeMarker(item: Element): boolean {
  const marker = [...item.querySelectorAll("span")].find((span) => styleOf(span, "mso-list") === "ignore");
  const text = marker?.textContent?.trim() ?? "";
  marker?.remove();
  return /^\(?[\da-z]{1,4}[.)]/i.test(text);
}

/** Makes lists of the paragraphs that Word writes instead. */
function readLists(root: DocumentFragment): void {
  for (const first of root.querySelectorAll("p")) {
    // Those of a list that began before are in it already.
    if (levelOf(first) === 0 || !root.contains(first) || first.parentElement?.tagName === "LI") continue;
    const lists: HTMLElement[] = [];
    const place = document.createComment("");
    first.before(place);
    for (let item: Element | null = first; levelOf(item) > 0; item = place.nextElementSibling) {
      const paragraph = item as Element;
      const level = Math.min(levelOf(paragraph), lists.length + 1);
      const numbered = takeMarker(paragraph);
      lists.length = Math.min(lists.length, level);
      if (lists.length < level) {
        const list = document.createElement(numbered ? "ol" : "ul");
        const above = lists.at(-1)?.lastElementChild;
        if (above) above.append(list);
        else place.before(list);
        lists.push(list);
      }
      const entry = document.createElement("li");
      const text = document.createElement("p");
      text.append(...paragraph.childNodes);
      entry.append(text);
      paragraph.remove();
      lists.at(-1)?.append(entry);
    }
    place.remove();
  }
}

/** Puts tags for what only the look of pasted text says. */
export function readLooks(fragment: DocumentFragment): void {
  readLists(fragment);
  readMarks(fragment);
}

/** Parses HTML from the clipboard, as other programs write it, into safe nodes. */
export function pastedFragment(html: string): DocumentFragment {
  const fragment: DocumentFragment = DOMPurify.sanitize(html, looks);
  readLooks(fragment);
  return cleanFragment(fragment, true);
}
