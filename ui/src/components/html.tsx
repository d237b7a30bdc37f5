import DOMPurify from "dompurify";
import { createElement, useLayoutEffect, useRef } from "react";

const allowed = {
  ALLOWED_TAGS: ["b", "i", "em", "strong", "u", "br", "code", "p", "ul", "ol", "li", "a"],
  ALLOWED_ATTR: ["href", "rel", "target"],
  ALLOWED_URI_REGEXP: /^(?:https?:\/\/|mailto:|\/(?![/\\]))/i,
  RETURN_DOM_FRAGMENT: true as const,
};
/** The tags of pages and notes: also headings, quotes and tables. */
export const richTags = [
  ...allowed.ALLOWED_TAGS,
  "h1",
  "h2",
  "h3",
  "h4",
  "blockquote",
  "pre",
  "hr",
  "s",
  "table",
  "thead",
  "tbody",
  "tr",
  "th",
  "td",
];
const document_ = { ...allowed, ALLOWED_TAGS: richTags };

export interface HtmlProps {
  html: string;
  as?: "div" | "span" | "p";
  /** Whether to allow the tags of a page's body, beyond the few of a message. */
  rich?: boolean;
  className?: string;
}

/** Parses members' HTML into safe nodes. */
export function cleanFragment(html: string | Node, rich: boolean): DocumentFragment {
  return DOMPurify.sanitize(html, rich ? document_ : allowed);
}

/** Compares two texts as they are shown. The server also stores a link's `rel`, and no widths of columns. */
export function isSameHtml(a: string, b: string): boolean {
  const plain = (html: string) => {
    const fragment = cleanFragment(html, true);
    for (const link of fragment.querySelectorAll("a")) link.removeAttribute("rel");
    return fragment;
  };
  return a === b || plain(a).isEqualNode(plain(b));
}

/**
 * The only place that shows HTML written by members. It is sanitized when it is stored, and again here; it is inserted
 * as nodes, never as text that the browser would parse.
 */
export function Html({ html, as = "div", rich = false, className }: HtmlProps) {
  const ref = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const fragment = cleanFragment(html, rich);
    for (const link of fragment.querySelectorAll("a")) {
      link.rel = "noopener noreferrer";
      if (/^https?:/i.test(link.getAttribute("href") ?? "")) link.target = "_blank";
    }
    ref.current?.replaceChildren(fragment);
  }, [html, rich]);
  return createElement(as, { ref, className, dir: "auto" });
}
