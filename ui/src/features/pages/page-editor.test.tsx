import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import type { KnowledgePage } from "@/api/schema";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { PageEditor } from "./page-editor";

// The editor itself needs a layout, which this environment has not; here a plain field stands for it.
vi.mock("@/components/late-rich-editor", () => ({
  LateRichEditor: ({ label, value, onChange }: { label: string; value: string; onChange: (html: string) => void }) => (
    <textarea aria-label={label} defaultValue={value} onChange={(event) => onChange(event.target.value)} />
  ),
}));

const server = standInServer();
const page: KnowledgePage = {
  id: "p1",
  version: 3,
  createdAt: "2026-11-01T10:00:00Z",
  updatedAt: "2026-11-01T10:00:00Z",
  title: "Handbook",
  order: 1,
  status: "draft",
  body: "<p>Old</p>",
};
const show = () => renderApp(<PageEditor page={page} pages={[page]} onDone={() => undefined} />);
const stale = () => new Answer(412, { error: { code: "stale_version", message: "Somebody changed this." } });

beforeEach(() => accept(signedIn()));

test("writing saves by itself, with the version that was seen, and says so", async () => {
  server.on("PATCH /api/pages/p1", (call) => ({ ...page, ...(call.body as object), version: 4 }));
  show();
  await userEvent.type(screen.getByLabelText("Text"), "!");
  expect(await screen.findByText("Saved", {}, { timeout: 3000 })).toBeVisible();
  const [call] = server.sent("PATCH /api/pages/p1");
  expect(call?.body).toEqual({ body: "<p>Old</p>!" });
  expect(call?.headers.get("If-Match")).toBe('"3"');
});

test("nobody's work is written over unasked", async () => {
  server.on("PATCH /api/pages/p1", stale);
  show();
  await userEvent.click(screen.getByRole("radio", { name: "Published" }));
  expect(await screen.findByText("Somebody changed this page meanwhile.")).toBeVisible();
  server.on("PATCH /api/pages/p1", () => ({ ...page, status: "published", version: 6 }));
  await userEvent.click(screen.getByRole("button", { name: "Keep mine" }));
  await waitFor(() => expect(server.sent("PATCH /api/pages/p1")).toHaveLength(2));
  expect(server.sent("PATCH /api/pages/p1")[1]?.headers.get("If-Match")).toBeNull();
});

test("theirs can be taken instead", async () => {
  server.on("PATCH /api/pages/p1", stale);
  server.on("GET /api/pages/p1", () => ({ ...page, version: 5, title: "Their handbook", body: "<p>Theirs</p>" }));
  show();
  await userEvent.click(screen.getByRole("radio", { name: "Published" }));
  await userEvent.click(await screen.findByRole("button", { name: "Load theirs" }));
  await waitFor(() => expect(screen.getByLabelText("Title")).toHaveValue("Their handbook"));
  expect(screen.getByLabelText("Text")).toHaveValue("<p>Theirs</p>");
  expect(screen.queryByText("Somebody changed this page meanwhile.")).toBeNull();
});
