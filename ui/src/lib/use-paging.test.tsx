import { render } from "@testing-library/react";
import { createMemoryRouter, RouterProvider } from "react-router";
import { expect, test, vi } from "vitest";
import { usePaging } from "./use-paging";

const seen: ReturnType<typeof usePaging>[] = [];

function List() {
  seen.push(usePaging(50, {}));
  return null;
}

test("keeps both of two changes made before the address updates", async () => {
  const router = createMemoryRouter([{ path: "*", element: <List /> }], { initialEntries: ["/customers?cursor=abc&page=2"] });
  render(<RouterProvider router={router} />);
  const before = seen.at(-1);
  before?.set({ q: "ana" });
  before?.set({ sort: "-name" });
  await vi.waitFor(() => expect(router.state.location.search).toBe("?q=ana&sort=-name"));
});
