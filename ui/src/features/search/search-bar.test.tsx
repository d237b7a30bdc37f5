import { fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { beforeEach, expect, it } from "vitest";
import { renderApp } from "@/test/render";
import { standInServer } from "@/test/server";
import { SearchTool } from "./search-tool";

const server = standInServer();

beforeEach(() => {
  server.on("POST /api/common/search", ({ body }) =>
    (body as { query: string }).query.startsWith("no")
      ? []
      : [
          { id: "contacts", label: "Contacts", results: [{ id: "1", name: "José Ñúñez", link: "/customers/1", value: "José Ñúñez" }] },
          { id: "pages", label: "Pages", results: [{ id: "3", kind: "page", title: "Handbook", link: "/pages/1", value: "Handbook" }] },
          {
            id: "tasks",
            label: "Tasks",
            results: [
              { id: "1", title: "Renew the lease", completed: true, link: "/tasks/1", value: "Renew the lease" },
              { id: "2", title: "Send the forecast", completed: false, link: "/tasks/2", value: "Send the forecast" },
            ],
          },
        ],
  );
});

function Both() {
  const [appearance, setAppearance] = useState<"bar" | "basic">("bar");
  return (
    <>
      <button type="button" onClick={() => setAppearance(appearance === "bar" ? "basic" : "bar")}>
        {"other"}
      </button>
      <SearchTool appearance={appearance} />
    </>
  );
}

/** Compares the text content: matches are in elements of their own. */
const option = (text: string) =>
  waitFor(() => {
    const found = screen.getAllByRole("option").find(({ textContent }) => textContent?.includes(text));
    if (!found) throw new Error(`There is no ${text} among the results`);
    return found;
  });

async function open() {
  const app = renderApp(<SearchTool />);
  fireEvent.click(screen.getByRole("button", { name: "Search" }));
  const input = await screen.findByPlaceholderText("Search...");
  return { ...app, input, type: (value: string) => fireEvent.change(input, { target: { value } }) };
}

it("searches once after typing pauses, and shows results of each kind", async () => {
  const { type } = await open();
  for (const text of ["j", "jo", "jos", "jose"]) type(text);
  expect(await option("José Ñúñez")).toBeVisible();
  expect(server.sent("POST /api/common/search").map(({ body }) => body)).toEqual([{ query: "jose" }]);
  expect(await option("Handbook")).toHaveTextContent("Page");
  expect(screen.getByText("Renew the lease")).toHaveClass("line-through");
  expect(screen.getByText("Send the forecast")).not.toHaveClass("line-through");
  expect((await option("José Ñúñez")).querySelector("[data-hit]")).toHaveTextContent("José");
});

it("shows below the title why a record was found", async () => {
  const reason = { field: "notes", label: "Notes", text: "…called in the morning" };
  server.on("POST /api/common/search", () => [
    {
      id: "contacts",
      label: "Contacts",
      results: [{ id: "1", name: "Ada", subtitle: "Umbrella", reason, link: "/customers/1", value: "Ada" }],
    },
    { id: "tasks", label: "Tasks", results: [{ id: "2", title: "Ring", completed: true, reason, link: "/tasks/2", value: "Ring" }] },
  ]);
  const { type } = await open();
  type("morn");
  const contact = await option("Ada");
  expect(contact).toHaveTextContent("Notes: …called in the morning");
  expect(contact).not.toHaveTextContent("Umbrella");
  expect(contact.querySelector("[data-hit]")).toHaveTextContent("morn");
  const task = await option("Ring");
  expect(task).toHaveTextContent(/Ring\s*completed\s*Notes: …called/);
});

it("preselects the first result, moves by arrow keys, and opens the selected one on Enter", async () => {
  const { input, type, router } = await open();
  type("jose");
  const first = await option("José Ñúñez");
  expect(first).toHaveAttribute("aria-selected", "true");
  expect(input).toHaveAttribute("aria-activedescendant", first.id);
  fireEvent.keyDown(input, { key: "ArrowDown" });
  expect(await option("Handbook")).toHaveAttribute("aria-selected", "true");
  fireEvent.keyDown(input, { key: "ArrowUp" });
  fireEvent.keyDown(input, { key: "ArrowUp" });
  expect(await option("Send the forecast")).toHaveAttribute("aria-selected", "true");
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/2"));
  expect(screen.queryByPlaceholderText("Search...")).toBeNull();
});

it("opens the first result when Enter was pressed before it arrived", async () => {
  const { input, type, router } = await open();
  type("jose");
  fireEvent.keyDown(input, { key: "Enter" });
  await waitFor(() => expect(router.state.location.pathname).toBe("/customers/1"));
});

it("is an ordinary field in its basic appearance, and is cleared when the appearance changes", async () => {
  const app = renderApp(<Both />);
  fireEvent.click(screen.getByRole("button", { name: "Search" }));
  fireEvent.change(await screen.findByPlaceholderText("Search..."), { target: { value: "jose" } });
  await option("José");
  fireEvent.click(screen.getByText("other"));
  const field = await screen.findByPlaceholderText("Search...");
  expect(field).toHaveValue("");
  expect(screen.queryByRole("option")).toBeNull();

  fireEvent.keyDown(document.body, { key: "/" });
  expect(field).toHaveFocus();
  fireEvent.change(field, { target: { value: "jose" } });
  await option("José");
  fireEvent.keyDown(field, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("option")).toBeNull());
  expect(field).toHaveValue("");
  fireEvent.change(field, { target: { value: "jose" } });
  fireEvent.click(await option("Handbook"));
  await waitFor(() => expect(app.router.state.location.pathname).toBe("/pages/1"));

  fireEvent.change(field, { target: { value: "jose" } });
  fireEvent.click(screen.getByText("other"));
  expect(screen.queryByPlaceholderText("Search...")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Search" }));
  expect(await screen.findByPlaceholderText("Search...")).toHaveValue("");
});

it("does not search for fewer than two characters, and clears earlier results", async () => {
  const { type } = await open();
  type("jo");
  await option("José");
  type("j");
  await waitFor(() => expect(screen.queryByRole("option")).toBeNull());
  expect(server.sent("POST /api/common/search")).toHaveLength(1);
});

it("says when nothing was found", async () => {
  const { type } = await open();
  type("nothing");
  expect(await screen.findByText("No results found!")).toBeVisible();
});

it("Escape closes the results, then the search, and clears the text", async () => {
  const { input, type } = await open();
  type("jose");
  await option("José");
  fireEvent.keyDown(input, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("option")).toBeNull());
  fireEvent.keyDown(input, { key: "Escape" });
  await waitFor(() => expect(screen.queryByPlaceholderText("Search...")).toBeNull());
  fireEvent.keyDown(document.body, { key: "/" });
  expect(await screen.findByPlaceholderText("Search...")).toHaveValue("");
});

it("says that results may be incomplete while the server rebuilds its search", async () => {
  const note = "Search doesn’t have all changes yet, so results may be incomplete.";
  const { type } = await open();
  type("jose");
  expect(await option("José Ñúñez")).toBeVisible();
  expect(screen.queryByText(note)).toBeNull();
  server.on("POST /api/common/search", () => [
    { id: "contacts", label: "Contacts", results: [{ id: "1", name: "Ana", link: "/customers/1", value: "Ana" }], partial: true },
    { id: "pages", label: "Pages", results: [], partial: true },
  ]);
  type("ana");
  expect(await option("Ana")).toBeVisible();
  expect(screen.getByText(note)).toBeVisible();
  expect(screen.queryByText("Pages")).toBeNull();
  server.on("POST /api/common/search", () => [{ id: "contacts", label: "Contacts", results: [], partial: true }]);
  type("eva");
  expect(await screen.findByText("No results found!")).toBeVisible();
  expect(screen.getByText(note)).toBeVisible();
});

it("says how many letters a search needs, instead of nothing or no results", async () => {
  const { type } = await open();
  for (const text of ["j", "%_"]) {
    type(text);
    expect(await screen.findByText("Type at least 2 letters or digits to search.")).toHaveAttribute("role", "status");
    type("");
    await waitFor(() => expect(screen.queryByText(/^Type at least/)).toBeNull());
  }
  expect(server.sent("POST /api/common/search")).toEqual([]);
});
