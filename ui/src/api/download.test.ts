import { afterEach, expect, it, vi } from "vitest";
import { useLoading } from "@/lib/loading";
import { signedIn } from "@/test/people";
import { Answer, standInServer } from "@/test/server";
import { download } from "./download";
import * as sessions from "./session";

const server = standInServer();
afterEach(() => sessions.useSession.setState({ state: "guest", user: undefined }));

it("saves what a call answers under a name, with the caller's token", async () => {
  sessions.accept(signedIn(86_400));
  server.on("GET /api/report", () => new Answer(200, "Row"));
  let name = "";
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function click(this: HTMLAnchorElement) {
    name = this.download;
  });
  await download("/api/report", "report.csv");
  expect(name).toBe("report.csv");
  expect(server.sent("GET /api/report")[0]?.headers.get("Authorization")).toMatch(/^Bearer /);
  expect(useLoading.getState().visible).toBe(false);
});

it("handles a refusal like other requests", async () => {
  sessions.accept(signedIn(86_400));
  const follow = vi.spyOn(sessions, "showLockScreen").mockReturnValue(undefined as never);
  server.on("GET /api/report", () => new Answer(423, { error: { code: "session_locked", message: "Locked." } }));
  await expect(download("/api/report", "report.csv")).rejects.toMatchObject({ status: 423, code: "session_locked" });
  expect(follow).toHaveBeenCalledOnce();
  expect(useLoading.getState().visible).toBe(false);
});
