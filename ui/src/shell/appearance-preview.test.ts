import { beforeEach, expect, it } from "vitest";
import { useSession } from "@/api/session";
import { appearanceOf, endPreview, isPreviewing, previewAppearance, usePreview } from "@/shell/appearance-preview";
import { mira } from "@/test/people";

const company = { layout: "modern", color_scheme: "brand" };
const appearance = (user = {}) => appearanceOf(usePreview.getState(), user, company);

beforeEach(() => usePreview.setState({ me: {}, company: {}, shown: "me" }));

it("prefers the member's choice to the company's", () => {
  expect(appearance()).toEqual({ layout: "modern", scheme: "brand" });
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "thin", scheme: "teal" });
});

it("prefers a previewed layout or scheme to both", () => {
  previewAppearance("me", "layout", "classy", "thin");
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "teal" });
  previewAppearance("me", "scheme", null, "teal");
  expect(appearance({ layout: "thin", scheme: "teal" })).toEqual({ layout: "classy", scheme: "brand" });
});

it("choosing the saved value ends the preview", () => {
  previewAppearance("me", "layout", "classy", "thin");
  previewAppearance("me", "layout", "thin", "thin");
  expect(isPreviewing(usePreview.getState())).toBe(false);
});

it("keeps the company preview during the member's own preview", () => {
  previewAppearance("company", "scheme", "rose", "brand");
  previewAppearance("me", "scheme", "sky", null);
  expect(appearance().scheme).toBe("sky");
  endPreview("me");
  expect(appearance().scheme).toBe("rose");
  endPreview("company");
  expect(appearance().scheme).toBe("brand");
});

it("stores the preview for a reload, and ends it with the session", () => {
  previewAppearance("me", "layout", "dense", null);
  expect(sessionStorage.getItem("atrium.look")).toContain("dense");
  useSession.setState({ state: "signed-in", user: mira });
  useSession.setState({ state: "guest", user: undefined });
  expect(isPreviewing(usePreview.getState())).toBe(false);
  expect(sessionStorage.getItem("atrium.look")).toBeNull();
});
