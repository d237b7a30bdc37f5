import { screen, within } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import type { CompanyHealth } from "@/api/schema";
import { accept, useSession } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { HealthSection } from "./company/health-section";

const server = standInServer();
const healthy: CompanyHealth = {
  status: "ok",
  version: "0.1.0",
  checkedAt: "2026-11-21T09:30:00Z",
  changes: { status: "ok" },
  backups: { status: "ok", scheduled: true, lastAt: new Date(Date.now() - 3 * 3_600_000).toISOString() },
  emails: { status: "ok", configured: true, waiting: 0, late: 0 },
  uploads: { status: "ok", usedBytes: 1_500_000, maxBytes: 10 * 2 ** 30 },
  damage: { status: "ok", records: 0, uploads: 0 },
  search: { status: "ok" },
};

const signIn = (permissions: string[]) => {
  accept(signedIn());
  useSession.setState({ state: "signed-in", user: { ...mira, permissions } });
};

beforeEach(() => signIn(["settings.company"]));

async function rows(health: CompanyHealth) {
  server.on("GET /api/settings/company/health", () => health);
  renderApp(<HealthSection />, { path: "/settings/company/health" });
  const list = await screen.findByRole("list");
  return within(list)
    .getAllByRole("listitem")
    .map((row) => row.textContent);
}

it("says in a sentence how each part is", async () => {
  const said = await rows(healthy);
  expect(said).toHaveLength(6);
  expect(said[0]).toBe("Saving: OKChanges are saved.");
  expect(said[1]).toContain("3 hours ago");
  expect(said[3]).toContain("1.5 MB of 11 GB");
  expect(screen.getByRole("heading", { name: "Everything works" })).toBeInTheDocument();
});

it("names what needs attention, with its figures", async () => {
  const said = await rows({
    ...healthy,
    status: "failing",
    changes: { status: "failing" },
    backups: { status: "failing", scheduled: true },
    emails: { status: "failing", configured: true, waiting: 3, late: 1 },
    damage: { status: "failing", records: 1, uploads: 1 },
    search: { status: "warning" },
  });
  expect(said[0]).toContain("Problem");
  expect(said[1]).toContain("failed");
  expect(said[2]).toContain("1 email");
  expect(said[4]).toContain("2 records or files");
  expect(said[5]).toContain("newest changes");
});

it("says that the server has neither backups nor email", async () => {
  const said = await rows({
    ...healthy,
    status: "warning",
    backups: { status: "warning", scheduled: false },
    emails: { status: "warning", configured: false, waiting: 0, late: 0 },
  });
  expect(said[1]).toContain("No backups are scheduled");
  expect(said[2]).toContain("isn’t set up");
});

it("is only for those who manage the company", () => {
  signIn(["read"]);
  renderApp(<HealthSection />, { path: "/settings/company/health" });
  expect(screen.queryByRole("list")).toBeNull();
});
