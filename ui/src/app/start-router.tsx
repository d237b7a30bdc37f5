import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { routes } from "./routes";

/** Gives the page to the router. */
export function startRouter(root: Root) {
  root.render(
    <StrictMode>
      <RouterProvider router={createBrowserRouter(routes, { future: { v8_middleware: true } })} />
    </StrictMode>,
  );
}
