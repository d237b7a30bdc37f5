import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useEffect, useState } from "react";
import { createMemoryRouter, Outlet, type RouteObject, RouterProvider } from "react-router";
import { beforeEach, expect, it, vi } from "vitest";
import { ErrorPage, ScreenError } from "./error-page";
import { routes } from "./routes";
import { withErrorPages } from "./with-error-pages";

let broken = true;
let cause = new Error("boom");
function Fragile() {
  const [ready, setReady] = useState(false);
  useEffect(() => setReady(true), []);
  if (ready && broken) throw cause;
  return <h1>{"whole"}</h1>;
}

function open(Boundary: typeof ScreenError) {
  const router = createMemoryRouter(
    [
      { path: "/tasks", Component: Fragile, ErrorBoundary: Boundary },
      { path: "/dashboard", element: <h1>{"dashboard"}</h1> },
    ],
    { initialEntries: ["/tasks?show=mine"] },
  );
  render(<RouterProvider router={router} />);
  return router;
}

beforeEach(() => {
  broken = true;
  cause = new Error("boom");
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

it("retries the screen in place without reloading the page", async () => {
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  const router = open(ScreenError);
  await screen.findByRole("heading", { name: "This page couldn’t be shown" });
  expect(screen.getByText(/Something went wrong/)).toBeVisible();
  broken = false;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("whole");
  expect(router.state.location.search).toBe("?show=mine");
  expect(reload).not.toHaveBeenCalled();
});

it("opens the dashboard", async () => {
  open(ScreenError);
  fireEvent.click(await screen.findByRole("button", { name: "Go to the dashboard" }));
  await screen.findByText("dashboard");
});

it("reloads the page when the whole application fails", async () => {
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  open(() => <ErrorPage />);
  fireEvent.click(await screen.findByRole("button", { name: "Try again" }));
  expect(reload).toHaveBeenCalled();
  expect(screen.getByRole("main")).toBeVisible();
});

it("offers a reload when a screen is missing after an update", async () => {
  cause = new TypeError("Failed to fetch dynamically imported module: /assets/tasks-page-1.js");
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  open(ScreenError);
  await screen.findByRole("heading", { name: "Atrium has been updated" });
  fireEvent.click(screen.getByRole("button", { name: "Reload" }));
  expect(reload).toHaveBeenCalled();
});

const missing = new TypeError("Failed to fetch dynamically imported module: /assets/tasks-page-1.js");
const gone = { Component: () => Promise.reject(missing) };
function openMissing() {
  const router = createMemoryRouter(
    withErrorPages([
      {
        ErrorBoundary: ScreenError,
        children: [
          { path: "/dashboard", element: <h1>{"dashboard"}</h1> },
          { path: "/tasks", lazy: gone },
        ],
      },
    ]),
    { initialEntries: ["/dashboard"] },
  );
  render(<RouterProvider router={router} />);
  return router;
}

it("shows an error page when a screen cannot be loaded", async () => {
  await openMissing().navigate("/tasks");
  await screen.findByRole("heading", { name: "Atrium has been updated" });
});

it("disables Try again while offline", async () => {
  const online = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  await openMissing().navigate("/tasks");
  await screen.findByText(/You’re offline/);
  expect(screen.getByRole("button", { name: "Try again" })).toBeDisabled();
  online.mockReturnValue(true);
  // The page may not listen yet.
  await waitFor(() => {
    act(() => void dispatchEvent(new Event("online")));
    expect(screen.getByRole("button", { name: "Try again" })).toBeEnabled();
  });
});

// A part of a screen that fails leaves the screen that it is a part of: a record that was opened without a connection
// once replaced its whole list (F-U8).
const Around = () => (
  <>
    <h1>{"around"}</h1>
    <a href="/list/1">{"First"}</a>
    <Outlet />
  </>
);
/** The router keeps what it has loaded in the object. */
const loadAround = () => Promise.resolve(Around);
const around = () => ({ Component: loadAround });
const partsOf = (paths: string[]) =>
  createMemoryRouter(
    withErrorPages([
      {
        ErrorBoundary: ScreenError,
        children: [
          {
            path: "/list",
            lazy: around(),
            children: paths.map((path) => ({ path, lazy: gone })),
          },
        ],
      },
    ]),
    { initialEntries: ["/list?q=a"] },
  );

for (const path of ["new", ":id"]) {
  it(`a drawer at ${path} that cannot be loaded offline fails over its list, which has the focus again when it is closed`, async () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    const router = partsOf(["new", ":id"]);
    render(<RouterProvider router={router} />);
    const link = await screen.findByRole("link", { name: "First" });
    link.focus();
    await act(() => router.navigate(path === "new" ? "/list/new?q=a" : "/list/1?q=a"));
    const drawer = await screen.findByRole("dialog", { name: "This page couldn’t be shown" });
    expect(drawer).toHaveTextContent("You’re offline");
    expect(screen.getByRole("heading", { name: "around" })).toBeVisible();
    expect(screen.getByRole("button", { name: "Try again" })).toBeDisabled();
    fireEvent.keyDown(drawer, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(router.state.location).toMatchObject({ pathname: "/list", search: "?q=a" });
    expect(link).toHaveFocus();
  });
}

it("a section that cannot be loaded fails in its place, and the screen around it stays", async () => {
  const router = partsOf(["section"]);
  render(<RouterProvider router={router} />);
  await screen.findByRole("heading", { name: "around" });
  await act(() => router.navigate("/list/section"));
  expect(await screen.findByRole("heading", { name: "Atrium has been updated" })).toBeVisible();
  expect(screen.getByRole("heading", { name: "around" })).toBeVisible();
});

it("every part of a screen of the application fails in its own place", () => {
  const alone: string[] = [];
  const walk = (list: RouteObject[], isInScreen: boolean, hasPlace: boolean, at: string) => {
    for (const route of list) {
      const path = [at, route.path].filter(Boolean).join("/");
      if (isInScreen && route.lazy && !hasPlace) alone.push(path);
      walk(route.children ?? [], isInScreen || (Boolean(route.lazy) && route.id !== "shell"), Boolean(route.ErrorBoundary), path);
    }
  };
  walk(routes, false, false, "");
  expect(alone).toEqual([]);
});
