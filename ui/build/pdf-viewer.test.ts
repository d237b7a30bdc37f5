// @vitest-environment node
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { pageOf } from "./pdf-viewer";

it("puts a script into the page that no text in it can end, and that the parser of HTML leaves as it is", () => {
  const text = "a</script>b</SCRIPT >c<!--d\re\0f";
  const script = /<script>([\s\S]*?)<\/script>/.exec(pageOf(`"${text}"`))?.[1] ?? "";
  expect(runInNewContext(script)).toBe(text);
  expect(script).not.toMatch(/<!--|\r/);
  expect(script).not.toContain("\0");
});
