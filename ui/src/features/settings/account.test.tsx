import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { accept } from "@/api/session";
import { shortDate } from "@/lib/short-date";
import { useCompanyInfo } from "@/shell/company-info";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { AccountSection } from "./account-section";

const server = standInServer();

beforeEach(() => {
  accept(signedIn());
  useCompanyInfo.setState({ locales: ["en", "es"] });
  server.on("GET /api/auth/email", () => ({}));
});

it("a member chooses their own region, and dates follow it at once", async () => {
  server.on("PATCH /api/common/user", () => ({
    ...mira,
    region: { ...mira.region, dateFormat: "ymd" },
    ownRegion: { dateFormat: "ymd" },
  }));
  renderApp(<AccountSection />);
  const dates = await screen.findByRole("button", { name: /Dates/ });
  expect(dates).toHaveTextContent("Company default");
  await userEvent.click(dates);
  await userEvent.click(await screen.findByRole("option", { name: "2026-12-31" }));
  await userEvent.click(screen.getByRole("button", { name: "Save changes" }));
  await waitFor(() => expect(shortDate("2026-11-26")).toBe("2026-11-26"));
  expect(server.sent("PATCH /api/common/user")[0]?.body).toEqual({
    region: { dateFormat: "ymd", timeFormat: null, firstDay: null, phoneCountry: null, currency: null },
  });
});
