import type { Page } from "playwright-core";

/**
 * Returns the controls of a screen that a finger hits in less than 44 by 44 pixels. Those that an open surface covers, and
 * links within sentences, are left out.
 */
export function smallTouchAreas(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // Of a pixel that a border cuts, only a part reacts.
    const least = 43;
    const roles = ["button", "link", "tab", "option", "menuitem", "menuitemradio", "menuitemcheckbox", "checkbox", "radio", "switch"];
    const controls = `button, a[href], input, textarea, select, summary, ${roles.map((role) => `[role=${role}]`).join(", ")}`;
    const isText = (element: Element) =>
      element.matches("textarea, input:not([type=checkbox], [type=radio], [type=file], [type=range], [type=color])");
    /** Whether a point reacts for a control: its own content, its label, and around a text field what passes a press on. */
    const hits = (control: Element, x: number, y: number) => {
      const hit = document.elementFromPoint(x, y);
      if (!hit) return false;
      if (control.contains(hit) || hit.closest("label")?.control === control) return true;
      return isText(control) && Boolean(control.parentElement?.contains(hit)) && !hit.closest("button, a[href]");
    };
    const isInSentence = (element: Element) =>
      getComputedStyle(element).display === "inline" &&
      [...(element.parentElement?.childNodes ?? [])].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim());
    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) &&
      !element.closest("[inert], [aria-hidden=true], :disabled, [aria-disabled=true]") &&
      getComputedStyle(element).pointerEvents !== "none";
    const small: string[] = [];
    for (const control of document.querySelectorAll(controls)) {
      if (!isShown(control) || isInSentence(control)) continue;
      const label = control instanceof HTMLInputElement && !isText(control) ? control.labels?.[0] : undefined;
      // A control for screen readers only is pressed by its label.
      const drawn = control.getBoundingClientRect().width > 2 ? control : label;
      if (!drawn) continue;
      drawn.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
      // Of text that wraps, the first line.
      const box = drawn.getClientRects()[0];
      if (!box) continue;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      if (!hits(control, x, y)) {
        const cover = document.elementFromPoint(x, y);
        const surface = "[role=dialog], [role=alertdialog], [data-trigger], section[aria-live]";
        if (cover && cover.closest(surface) === control.closest(surface) && !document.querySelector("[data-testid=underlay]")) {
          small.push(`covered: ${control.outerHTML.slice(0, 160)} by ${cover.outerHTML.slice(0, 120)}`);
        }
        continue;
      }
      const reach = (dx: number, dy: number) => {
        let steps = 0;
        while (steps < 44 && hits(control, x + dx * (steps + 1), y + dy * (steps + 1))) steps += 1;
        return steps;
      };
      const width = reach(-1, 0) + reach(1, 0) + 1;
      const height = reach(0, -1) + reach(0, 1) + 1;
      if (width < least || height < least) {
        const name = control.getAttribute("aria-label") ?? label?.textContent ?? control.textContent;
        small.push(`${width}×${height} ${control.localName} “${name?.trim().slice(0, 40)}” ${control.className.toString().slice(0, 90)}`);
      }
    }
    return [...new Set(small)];
  });
}
