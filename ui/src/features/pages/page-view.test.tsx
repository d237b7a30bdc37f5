import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18n from "i18next";
import { Route, Routes } from "react-router";
import { beforeEach, expect, test, vi } from "vitest";
import { accept } from "@/api/session";
import { page } from "@/test/page";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import es from "../../../../i18n/es.json";
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
  expect(await screen.findByText("“Handbook” was moved to the trash, or you no longer have access to it.")).toBeVisible();
});

test("a page that a colleague deletes is gone for who reads it", async () => {
  const { client } = show("/pages/p1");
  expect(await screen.findByRole("heading", { name: "Handbook" })).toBeVisible();
  server.on("GET /api/pages/p1", () => new Answer(404, { error: { code: "not_found", message: "This doesn’t exist." } }));
  await client.invalidateQueries({ queryKey: ["pages"] });
  await waitFor(() => expect(screen.queryByText("Old")).toBeNull());
  expect(await screen.findByText("“Handbook” was moved to the trash, or you no longer have access to it.")).toBeVisible();
});

// The kind of fault: a time of change beside a name that is not of who made the change.
test.each([
  ["en", "Created by Ewan Fraser·Last updated 8 minutes ago"],
  ["es", "Creada por Ewan Fraser·Último cambio hace 8 minutos"],
])("a page says who created it and when it was updated as two facts (%s)", async (language, text) => {
  i18n.addResourceBundle("es", "translation", es);
  await i18n.changeLanguage(language);
  const updatedAt = new Date(Date.now() - 8 * 60_000).toISOString();
  server.on("GET /api/team", () => ({ items: [{ id: "u2", name: "Ewan Fraser", state: "active" }], total: 1 }));
  server.on("GET /api/pages/p1", () => ({ ...page, status: "published", createdBy: "u2", updatedAt }));
  show("/pages/p1");
  const name = await screen.findByText("Ewan Fraser");
  const facts = name.closest("p")?.textContent?.replace(/^.*?(?=Crea)/, "") ?? "";
  // The initials of the picture are no part of the sentence.
  expect(facts.replace(/EF(?=Ewan)/, "")).toContain(text);
  await i18n.changeLanguage("en");
});

test("a page of an unknown author says only when it was updated", async () => {
  server.on("GET /api/pages/p1", () => ({ ...page, status: "published", createdBy: "u9" }));
  show("/pages/p1");
  expect(await screen.findByText(/^Last updated/)).toBeVisible();
  expect(screen.queryByText(/Created by/)).toBeNull();
});
