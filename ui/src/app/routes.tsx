import { Outlet, type RouteObject, redirect } from "react-router";
import { guestRoutes, signedInRoutes } from "@/features/auth/routes";
import { chatRoutes } from "@/features/chat/routes";
import { customersRoutes } from "@/features/customers/routes";
import { dashboardRoutes } from "@/features/dashboard/routes";
import { dealsRoutes } from "@/features/deals/routes";
import { duplicatesRoutes } from "@/features/duplicates/routes";
import { eventsRoutes } from "@/features/events/routes";
import { helpRoutes } from "@/features/help/routes";
import { homeRoutes } from "@/features/home/routes";
import { importsRoutes } from "@/features/imports/routes";
import { noticesRoutes } from "@/features/notices/routes";
import { organizationsRoutes } from "@/features/organizations/routes";
import { pagesRoutes } from "@/features/pages/routes";
import { securityRoutes } from "@/features/security/routes";
import { settingsRoutes } from "@/features/settings/routes";
import { tasksRoutes } from "@/features/tasks/routes";
import { teamRoutes } from "@/features/team/routes";
import { testTreeRoutes } from "@/features/test-tree/routes";
import { ErrorPage, ScreenError } from "./error-page";
import { guestOnly, signedInOnly } from "./guard";
import { Root } from "./root";
import { withErrorPages } from "./with-error-pages";

const toDashboard = () => redirect("/dashboard");

export const routes: RouteObject[] = withErrorPages([
  {
    Component: Root,
    ErrorBoundary: ErrorPage,
    children: [
      { index: true, loader: toDashboard },
      { path: "signed-in-redirect", loader: toDashboard },
      { middleware: [guestOnly], loader: () => null, Component: Outlet, handle: { layout: "empty" }, children: guestRoutes },
      {
        middleware: [signedInOnly],
        loader: () => null,
        Component: Outlet,
        handle: { layout: "empty" },
        children: [...signedInRoutes, ...securityRoutes],
      },
      { Component: Outlet, handle: { layout: "empty" }, children: homeRoutes },
      {
        id: "shell",
        middleware: [signedInOnly],
        lazy: {
          loader: async () => (await import("./shell")).loader,
          Component: async () => (await import("./shell")).Shell,
        },
        // The shell's data is loaded once, on entry; afterwards the cache keeps it current.
        shouldRevalidate: () => false,
        children: [
          {
            ErrorBoundary: ScreenError,
            children: [
              ...dashboardRoutes,
              ...eventsRoutes,
              ...teamRoutes,
              ...customersRoutes,
              ...duplicatesRoutes,
              ...organizationsRoutes,
              ...dealsRoutes,
              ...tasksRoutes,
              ...pagesRoutes,
              ...importsRoutes,
              ...noticesRoutes,
              ...chatRoutes,
              ...settingsRoutes,
              ...testTreeRoutes,
              ...helpRoutes,
            ],
          },
        ],
      },
      { path: "*", loader: toDashboard },
    ],
  },
]);
