import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { routes } from "./routes";

/** Renders the router after its first navigation has ended; until then the page stays unchanged. */
export async function startRouter(root: Root): Promise<void> {
  const router = createBrowserRouter(routes, { future: { v8_middleware: true } });
  if (!router.state.initialized) {
    await new Promise<void>((done) => {
      const stop = router.subscribe((state) => {
        if (!state.initialized) return;
        stop();
        done();
      });
    });
  }
  root.render(
    <StrictMode>
      <RouterProvider router={router} />
    </StrictMode>,
  );
}
