import { StrictMode } from "react";
import type { Root } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { routes } from "./routes";

/** Gives the page to the router, once its first navigation has ended: until then what is there stays. */
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
