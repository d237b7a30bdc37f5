import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter } from "react-router";
import { RouterProvider } from "react-router/dom";
import { ready } from "./api/session";
import { routes } from "./app/routes";
import { loadVersion } from "./features/version/data";
import { startI18n } from "./i18n";
import { pageInfo } from "./lib/page";
import { applyScheme } from "./theme/schemes";

async function start() {
  const page = pageInfo();
  if (page.company) applyScheme(page.company.color_scheme);
  // Both go out while the words are on their way.
  void ready();
  const version = loadVersion().catch((error: unknown) => console.error(error));
  await startI18n(page.locale);
  if (!page.company) await version;
  const root = document.getElementById("root");
  if (!root) throw new Error("The page has no root element");
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={createBrowserRouter(routes, { future: { v8_middleware: true } })} />
    </StrictMode>,
  );
}

start().catch((error: unknown) => console.error(error));
