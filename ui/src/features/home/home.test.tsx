import { screen } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { accept, useSession } from "@/api/session";
import { useCompanyInfo } from "@/shell/company-info";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { HomePage } from "./home-page";

beforeEach(() => {
  useSession.setState({ state: "guest", user: undefined });
  useCompanyInfo.setState({ company: { name: "Acme", color_scheme: "brand", layout: "modern" } });
});

it("asks only a guest to sign in", () => {
  const guest = renderApp(<HomePage />);
  expect(screen.getByRole("link", { name: "Sign in" })).toBeVisible();
  expect(screen.getByText(/^Sign in to see/)).toBeVisible();
  guest.unmount();
  accept(signedIn());
  renderApp(<HomePage />);
  expect(screen.getByRole("link", { name: "Open Acme" })).toHaveAttribute("href", "/dashboard");
  expect(screen.queryByText(/Sign in/)).toBeNull();
});
