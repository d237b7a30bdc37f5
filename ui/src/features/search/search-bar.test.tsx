import { fireEvent, screen, waitFor } from "@testing-library/react";
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
          { id: "pages", label: "Pages", results: [{ title: "Handbook", link: "/pages/1", value: "Handbook" }] },
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

async function open() {
  const app = renderApp(<SearchTool />);
  fireEvent.click(screen.getByRole("button", { name: "Search" }));
  const input = await screen.findByPlaceholderText("Search...");
  return { ...app, input, type: (value: string) => fireEvent.change(input, { target: { value } }) };
}

it("asks once typing rests, and shows the kinds in groups", async () => {
  const { type } = await open();
  for (const text of ["j", "jo", "jos", "jose"]) type(text);
  expect(await screen.findByRole("option", { name: /José Ñúñez/ })).toBeVisible();
  expect(server.sent("POST /api/common/search").map(({ body }) => body)).toEqual([{ query: "jose" }]);
  expect(screen.getByRole("option", { name: /Handbook/ })).toHaveTextContent("/pages/1");
  expect(screen.getByText("Renew the lease")).toHaveClass("line-through");
  expect(screen.getByText("Send the forecast")).not.toHaveClass("line-through");
});

it("does not ask for fewer than two characters, and clears what was found", async () => {
  const { type } = await open();
  type("jo");
  await screen.findByRole("option", { name: /José/ });
  type("j");
  await waitFor(() => expect(screen.queryByRole("option")).toBeNull());
  expect(server.sent("POST /api/common/search")).toHaveLength(1);
});

it("says when nothing was found", async () => {
  const { type } = await open();
  type("nothing");
  expect(await screen.findByText("No results found!")).toBeVisible();
});

it("closes its results first and then itself on Escape, and forgets the text", async () => {
  const { input, type } = await open();
  type("jose");
  await screen.findByRole("option", { name: /José/ });
  fireEvent.keyDown(input, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("option")).toBeNull());
  fireEvent.keyDown(input, { key: "Escape" });
  await waitFor(() => expect(screen.queryByPlaceholderText("Search...")).toBeNull());
  fireEvent.keyDown(document.body, { key: "/" });
  expect(await screen.findByPlaceholderText("Search...")).toHaveValue("");
});
