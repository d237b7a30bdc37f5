import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { accept } from "@/api/session";
import { page } from "@/test/page";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { PageView } from "./page-view";

// The editor needs a layout, which this environment does not have; a plain field replaces it.
vi.mock("@/components/lazy-rich-editor", () => ({
  LazyRichEditor: ({ label, value }: { label: string; value: string }) => <textarea aria-label={label} defaultValue={value} />,
}));

const server = standInServer();
const show = (path: string) =>
  renderApp(
    <Routes>
      <Route path="pages/:id" element={<PageView />} />
    </Routes>,
    { path },
  );

beforeEach(() => {
  sessionStorage.clear();
  accept({ ...signedIn(), user: { ...mira, permissions: ["pages.write"] } });
  server.on("GET /api/team", () => ({ items: [], total: 0 }));
  server.on("GET /api/pages", () => ({ items: [page], total: 1 }));
  server.on("GET /api/team/former", () => ({ items: [] }));
  server.on("GET /api/pages/p1", () => page);
  server.on("GET /api/fields", () => ({ items: [], total: 0 }));
  for (const part of ["files", "timeline", "links"]) server.on(`GET /api/pages/p1/${part}`, () => ({ items: [], total: 0 }));
});

test("the editor of a page stays when a colleague deletes the page, with what was typed", async () => {
  const { client } = show("/pages/p1?edit=1");
  await userEvent.type(await screen.findByLabelText("Text"), " and more");
  server.on("GET /api/pages/p1", () => new Answer(404, { error: { code: "not_found", message: "This doesn’t exist." } }));
  server.on("PATCH /api/pages/p1", () => new Answer(404, { error: { code: "not_found", message: "This doesn’t exist." } }));
  await client.invalidateQueries({ queryKey: ["pages"] });
  expect(screen.getByLabelText("Text")).toHaveValue("<p>Old</p> and more");
});

test("a page that a colleague deletes is gone for who reads it", async () => {
  const { client } = show("/pages/p1");
  expect(await screen.findByRole("heading", { name: "Handbook" })).toBeVisible();
  server.on("GET /api/pages/p1", () => new Answer(404, { error: { code: "not_found", message: "This doesn’t exist." } }));
  await client.invalidateQueries({ queryKey: ["pages"] });
  await waitFor(() => expect(screen.queryByText("Old")).toBeNull());
  expect(screen.getAllByText(/doesn’t exist/)).not.toHaveLength(0);
});
