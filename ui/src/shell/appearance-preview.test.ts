import { beforeEach, expect, it } from "vitest";
import { useSession } from "@/api/session";
import { appearanceOf, endPreview, isPreviewing, previewAppearance, usePreview } from "@/shell/appearance-preview";
import { mira } from "@/test/people";

const company = { layout: "modern", color_scheme: "brand" };
const appearance = (user = {}) => appearanceOf(usePreview.getState(), user, company);

beforeEach(() => usePreview.setState({ me: {}, company: {}, shown: "me" }));

it("is the person's choice over the company's", () => {
  expect(appearance()).toEqual({ layout: "modern", scheme: "brand" });
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "thin", scheme: "teal" });
});

it("is what is tried out over both, part by part", () => {
  previewAppearance("me", "layout", "classy", "thin");
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "teal" });
  previewAppearance("me", "scheme", null, "teal");
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "brand" });
});

it("is no trial to choose what one has", () => {
  previewAppearance("me", "layout", "classy", "thin");
  previewAppearance("me", "layout", "thin", "thin");
  expect(isPreviewing(usePreview.getState())).toBe(false);
});

it("keeps the trial for the company while one tries for oneself", () => {
  previewAppearance("company", "scheme", "rose", "brand");
  previewAppearance("me", "scheme", "sky", null);
  expect(appearance().scheme).toBe("sky");
  endPreview("me");
  expect(appearance().scheme).toBe("rose");
  endPreview("company");
  expect(appearance().scheme).toBe("brand");
});

it("outlives a reload, and ends with the session", () => {
  previewAppearance("me", "layout", "dense", null);
  expect(sessionStorage.getItem("atrium.look")).toContain("dense");
  useSession.setState({ state: "signed-in", user: mira });
  useSession.setState({ state: "guest", user: undefined });
  expect(isPreviewing(usePreview.getState())).toBe(false);
  expect(sessionStorage.getItem("atrium.look")).toBeNull();
});
