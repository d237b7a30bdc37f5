import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { createMemoryRouter, RouterProvider } from "react-router";

/** Renders a node within a router and an empty cache, and returns the router. */
export function renderApp(node: ReactNode, { path = "/" } = {}) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false }, mutations: { retry: false } } });
  const router = createMemoryRouter([{ path: "*", element: <QueryClientProvider client={client}>{node}</QueryClientProvider> }], {
    initialEntries: [path],
  });
  return { ...render(<RouterProvider router={router} />), router, client };
}
