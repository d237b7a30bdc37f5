import { expect, test } from "vitest";
import { readLooks } from "./pasted-html";

// The kind of fault (F-D16): the look of pasted text is read from tags that the program that wrote them means otherwise.
const pasted = (html: string) => {
  const template = document.createElement("template");
  template.innerHTML = html;
  readLooks(template.content);
  // What stays of the looks is taken off by the sanitizer, which needs a browser: the journey of the editor has it.
  return template.innerHTML.replace(/ (style|class)="[^"]*"/g, "").replaceAll(/<\/?(span|font)>|<!--.*?-->/g, "");
};

test.each([
  [
    '<b style="font-weight:normal"><p><span style="font-weight:400">plain </span><span style="font-weight:700">bold</span></p></b>',
    "<p>plain <strong>bold</strong></p>",
  ],
  ['<i style="font-style:normal">upright</i> <span style="font-style:italic">slanted</span>', "upright <em>slanted</em>"],
  ['<span style="font-weight:bold;font-style:italic">both</span>', "<em><strong>both</strong></em>"],
  ['<span style="text-decoration:underline line-through">x</span>', "<s><u>x</u></s>"],
  ["<p><b>as ever</b> and <strong>so</strong></p>", "<p><b>as ever</b> and <strong>so</strong></p>"],
  ['<a href="https://a.example/"><span style="text-decoration:underline">link</span></a>', '<a href="https://a.example/">link</a>'],
  ['<font style="font-weight:700">old</font> <del>gone</del>', "<strong>old</strong> <del>gone</del>"],
])("%s", (html, expected) => {
  expect(pasted(html)).toBe(expected);
});

test("paragraphs of Word with bullets and numbers become lists", () => {
  const item = (level: number, marker: string, text: string) =>
    `<p class="MsoListParagraph" style="text-indent:-18pt;mso-list:l0 level${level} lfo1"><![if !supportLists]>` +
    `<span style="font-family:Symbol"><span style="mso-list:Ignore">${marker}<span>&nbsp;&nbsp;</span></span></span><![endif]>${text}</p>`;
  const html = `<p>Before</p>${item(1, "·", "One")}${item(2, "1)", "In it")}${item(2, "2)", "Again")}${item(1, "·", "<b>Two</b>")}<p>After</p>${item(1, "1.", "First")}`;
  const text = (words: string) => `<p>${words}</p>`;
  expect(pasted(html)).toBe(
    `<p>Before</p><ul><li>${text("One")}<ol><li>${text("In it")}</li><li>${text("Again")}</li></ol></li><li>${text("<b>Two</b>")}</li></ul>` +
      `<p>After</p><ol><li>${text("First")}</li></ol>`,
  );
});
