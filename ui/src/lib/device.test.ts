import { expect, test } from "vitest";
import { deviceOf } from "./device";

test("recognizes browsers and systems by their user agents", () => {
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

test("gives no browser name for other clients", () => {
  expect(deviceOf("curl/8.5.0")).toEqual({ browser: undefined, system: undefined, mobile: false });
});
