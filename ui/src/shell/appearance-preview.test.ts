import { beforeEach, expect, it } from "vitest";
import { useSession } from "@/api/session";
import { appearanceOf, endPreview, isPreviewing, previewAppearance, usePreview } from "@/shell/appearance-preview";
import { mira } from "@/test/people";

const company = { layout: "modern", color_scheme: "brand" };
const look = (user = {}) => appearanceOf(usePreview.getState(), user, company);

beforeEach(() => usePreview.setState({ me: {}, company: {}, shown: "me" }));

it("is the person's choice over the company's", () => {
  expect(look()).toEqual({ layout: "modern", scheme: "brand" });
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "thin", scheme: "teal" });
});

it("is what is tried out over both, part by part", () => {
  previewAppearance("me", "layout", "classy", "thin");
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "teal" });
  previewAppearance("me", "scheme", null, "teal");
  expect(look({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "brand" });
});

it("is no trial to choose what one has", () => {
  previewAppearance("me", "layout", "classy", "thin");
  previewAppearance("me", "layout", "thin", "thin");
  expect(isPreviewing(usePreview.getState())).toBe(false);
});

it("keeps the trial for the company while one tries for oneself", () => {
  previewAppearance("company", "scheme", "rose", "brand");
  previewAppearance("me", "scheme", "sky", null);
  expect(look().scheme).toBe("sky");
  endPreview("me");
  expect(look().scheme).toBe("rose");
  endPreview("company");
  expect(look().scheme).toBe("brand");
});

it("outlives a reload, and ends with the session", () => {
  previewAppearance("me", "layout", "dense", null);
  expect(sessionStorage.getItem("atrium.look")).toContain("dense");
  useSession.setState({ state: "signed-in", user: mira });
  useSession.setState({ state: "guest", user: undefined });
  expect(isPreviewing(usePreview.getState())).toBe(false);
  expect(sessionStorage.getItem("atrium.look")).toBeNull();
});
