import { readFileSync } from "node:fs";
import { act, renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { breakpoints, useAtLeast } from "./media";

it("has the same breakpoints as the specification and the style sheet", () => {
  expect(breakpoints).toEqual({ sm: 600, md: 960, lg: 1280, xl: 1440 });
  const sheet = "../theme/tokens.css";
  const tokens = readFileSync(new URL(sheet, import.meta.url), "utf8");
  for (const [name, width] of Object.entries(breakpoints)) expect(tokens).toContain(`--breakpoint-${name}: ${width}px;`);
});

it("follows the window width", () => {
  let changed: () => void = () => undefined;
  const list = {
    matches: false,
    addEventListener: (_: string, heard: () => void) => {
      changed = heard;
    },
    removeEventListener: () => undefined,
  };
  const asked = vi.spyOn(window, "matchMedia").mockReturnValue(list as unknown as MediaQueryList);
  const { result } = renderHook(() => useAtLeast("md"));
  expect(result.current).toBe(false);
  expect(asked).toHaveBeenCalledWith("(min-width: 960px)");
  list.matches = true;
  act(changed);
  expect(result.current).toBe(true);
});
