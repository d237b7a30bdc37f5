import { beforeEach, expect, it } from "vitest";
import { useSession } from "@/api/session";
import { mira } from "@/test/people";
import { endTrial, isTrying, lookOf, tryOut, useTrial } from "./look";

const company = { layout: "modern", color_scheme: "brand" };
const look = (user = {}) => lookOf(useTrial.getState(), user, company);

beforeEach(() => useTrial.setState({ me: {}, company: {}, shown: "me" }));

it("is the person's choice over the company's", () => {
  expect(look()).toEqual({ layout: "modern", scheme: "brand" });
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "thin", scheme: "teal" });
});

it("is what is tried out over both, part by part", () => {
  tryOut("me", "layout", "classy", "thin");
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "teal" });
  tryOut("me", "scheme", null, "teal");
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "brand" });
});

it("is no trial to choose what one has", () => {
  tryOut("me", "layout", "classy", "thin");
  tryOut("me", "layout", "thin", "thin");
  expect(isTrying(useTrial.getState())).toBe(false);
});

it("keeps the trial for the company while one tries for oneself", () => {
  tryOut("company", "scheme", "rose", "brand");
  tryOut("me", "scheme", "sky", null);
  expect(look().scheme).toBe("sky");
  endTrial("me");
  expect(look().scheme).toBe("rose");
  endTrial("company");
  expect(look().scheme).toBe("brand");
});

it("outlives a reload, and ends with the session", () => {
  tryOut("me", "layout", "dense", null);
  expect(sessionStorage.getItem("atrium.look")).toContain("dense");
  useSession.setState({ state: "signed-in", user: mira });
  useSession.setState({ state: "guest", user: undefined });
  expect(isTrying(useTrial.getState())).toBe(false);
  expect(sessionStorage.getItem("atrium.look")).toBeNull();
});
