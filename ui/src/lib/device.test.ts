import { expect, test } from "vitest";
import { deviceOf } from "./device";

test("browsers are told apart, whatever else they claim to be", () => {
  const chrome = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
  expect(deviceOf(chrome)).toEqual({ browser: "Chrome", system: "Linux", mobile: false });
  expect(deviceOf(chrome.replace("Safari/537.36", "Safari/537.36 Edg/142.0").replace("X11; Linux x86_64", "Windows NT 10.0"))).toEqual({
    browser: "Edge",
    system: "Windows",
    mobile: false,
  });
  const phone =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1";
  expect(deviceOf(phone)).toEqual({ browser: "Safari", system: "iPhone", mobile: true });
});

test("what is no browser stays unnamed", () => {
  expect(deviceOf("curl/8.5.0")).toEqual({ browser: undefined, system: undefined, mobile: false });
});
