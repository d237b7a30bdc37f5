import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { beforeEach, expect, test } from "vitest";
import { accept } from "@/api/session";
import { signedIn } from "@/test/people";
import { standInServer } from "@/test/server";
import { PagesPage } from "./pages-page";

const server = standInServer();
const page = {
  id: "p1",
  title: "Handbook",
  version: 1,
  order: 1,
  status: "published",
  visibility: { to: "company", people: [] },
  fields: {},
};

beforeEach(() => {
  accept(signedIn());
  server.on("GET /api/pages", () => ({ items: [page], total: 1 }));
});

const open = () => {
  const router = createMemoryRouter(
    [
      {
        path: "pages",
        element: (
          <QueryClientProvider client={new QueryClient()}>
            <main id="content" tabIndex={-1}>
              <PagesPage />
            </main>
          </QueryClientProvider>
        ),
        children: [
          { index: true, element: null },
          { path: ":id", element: <p>{"The page"}</p> },
        ],
      },
    ],
    { initialEntries: ["/pages"] },
  );
  render(<RouterProvider router={router} />);
};

test.each([
  { place: "on phones, the focus goes to the page", isVisible: false, hasFocus: "main" },
  { place: "beside the tree, the focus stays in the tree", isVisible: true, hasFocus: "row" },
])("when a page is opened, $place", async ({ isVisible, hasFocus }) => {
  open();
  const row = await screen.findByRole("row", { name: /Handbook/ });
  // This environment has no layout.
  row.checkVisibility = () => isVisible;
  row.focus();
  await userEvent.keyboard("{Enter}");
  await screen.findByText("The page");
  await waitFor(() => expect(screen.getByRole(hasFocus)).toHaveFocus());
});
