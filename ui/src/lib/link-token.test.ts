import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { dropLinkToken, takeLinkToken, useLinkToken } from "./link-token";

const token = "a1".repeat(64);

beforeEach(() => {
  history.replaceState(null, "", "/activate-account");
  dropLinkToken();
});

it("removes the token from the address, and keeps it in memory for this page only", () => {
  history.replaceState({ key: "x" }, "", `/activate-account?a=1#${token}`);
  expect(takeLinkToken()).toBe(token);
  expect(location.href).toMatch(/\/activate-account\?a=1$/);
  expect(history.state).toEqual({ key: "x" });
  expect(takeLinkToken()).toBe(token);
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(token);
  history.replaceState(null, "", "/reset-password");
  expect(takeLinkToken()).toBeUndefined();
});

it("forgets the token after use", () => {
  history.replaceState(null, "", `/activate-account#${token}`);
  takeLinkToken();
  dropLinkToken();
  expect(takeLinkToken()).toBeUndefined();
});

it("leaves other fragments in the address", () => {
  history.replaceState(null, "", "/activate-account#part");
  expect(takeLinkToken()).toBeUndefined();
  expect(location.hash).toBe("#part");
});

it("takes the token of a link pasted into the open page", () => {
  history.replaceState(null, "", "/sign-up");
  const { result } = renderHook(useLinkToken);
  expect(result.current).toBeUndefined();
  history.replaceState(null, "", `/sign-up#${token}`);
  act(() => void dispatchEvent(new Event("hashchange")));
  expect(result.current).toBe(token);
  expect(location.hash).toBe("");
  dropLinkToken();
});
