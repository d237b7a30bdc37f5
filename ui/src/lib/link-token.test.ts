import { act, renderHook } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { dropLinkToken, takeLinkToken, useLinkToken } from "./link-token";

const token = "a1".repeat(64);

beforeEach(() => {
  history.replaceState(null, "", "/activate-account");
  dropLinkToken();
});

it("takes the token from the address at once, and keeps it for this page only", () => {
  history.replaceState({ key: "x" }, "", `/activate-account?a=1#${token}`);
  expect(takeLinkToken()).toBe(token);
  expect(location.href).toMatch(/\/activate-account\?a=1$/);
  expect(history.state).toEqual({ key: "x" });
  expect(takeLinkToken()).toBe(token);
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(token);
  history.replaceState(null, "", "/reset-password");
  expect(takeLinkToken()).toBeUndefined();
});

it("forgets it once it was used", () => {
  history.replaceState(null, "", `/activate-account#${token}`);
  takeLinkToken();
  dropLinkToken();
  expect(takeLinkToken()).toBeUndefined();
});

it("leaves a place within the page alone", () => {
  history.replaceState(null, "", "/activate-account#part");
  expect(takeLinkToken()).toBeUndefined();
  expect(location.hash).toBe("#part");
});

it("takes a link that is pasted into the open page", () => {
  history.replaceState(null, "", "/sign-up");
  const { result } = renderHook(useLinkToken);
  expect(result.current).toBeUndefined();
  history.replaceState(null, "", `/sign-up#${token}`);
  act(() => void dispatchEvent(new Event("hashchange")));
  expect(result.current).toBe(token);
  expect(location.hash).toBe("");
  dropLinkToken();
});
