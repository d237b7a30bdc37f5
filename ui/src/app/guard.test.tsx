import { render, screen } from "@testing-library/react";
import { createMemoryRouter, Outlet, RouterProvider } from "react-router";
import { beforeEach, expect, it } from "vitest";
import { useSession } from "@/api/session";
import { mira } from "@/test/people";
import { guestOnly, signedInOnly } from "./guard";
import { routes } from "./routes";

function open(path: string) {
  const page = (name: string) => <h1>{name}</h1>;
  const router = createMemoryRouter(
    [
      { index: true, element: page("root") },
      {
        middleware: [guestOnly],
        loader: () => null,
        element: <Outlet />,
        children: [
          { path: "sign-in", element: page("sign-in") },
          { path: "activate-account", element: page("activate") },
        ],
      },
      {
        middleware: [signedInOnly],
        loader: () => null,
        element: <Outlet />,
        children: [
          { path: "sign-out", element: page("sign-out") },
          { path: "unlock-session", element: page("unlock-session") },
          { path: "settings/account", element: page("account") },
          { path: "tasks/:id", element: page("task") },
        ],
      },
    ],
    { initialEntries: [path], future: { v8_middleware: true } },
  );
  render(<RouterProvider router={router} />);
  return router;
}

beforeEach(() => useSession.setState({ state: "guest", user: undefined }));

it("redirects a guest to sign-in, and keeps the requested address", async () => {
  const router = open("/tasks/1?tab=a&b=c");
  await screen.findByText("sign-in");
  const { pathname, search } = router.state.location;
  expect(pathname).toBe("/sign-in");
  expect(new URLSearchParams(search).get("redirectURL")).toBe("/tasks/1?tab=a&b=c");
});

it("keeps no address when a guest opens sign-out", async () => {
  const router = open("/sign-out");
  await screen.findByText("sign-in");
  expect(router.state.location.search).toBe("");
});

it("admits a member, and redirects them from guest pages to the root", async () => {
  useSession.setState({ state: "signed-in", user: mira });
  const router = open("/tasks/1");
  await screen.findByText("task");
  await router.navigate("/sign-in");
  await screen.findByText("root");
  expect(router.state.location.pathname).toBe("/");
});

it("guards later navigations too", async () => {
  useSession.setState({ state: "signed-in", user: mira });
  const router = open("/tasks/1");
  await screen.findByText("task");
  useSession.setState({ state: "guest", user: undefined });
  await router.navigate("/tasks/2");
  await screen.findByText("sign-in");
});

it("lets a locked member only unlock or sign out", async () => {
  useSession.setState({ state: "locked", user: undefined, who: { name: "Mira", email: "mira@northwind.example" } });
  const router = open("/tasks/1?a=b");
  await screen.findByText("unlock-session");
  expect(new URLSearchParams(router.state.location.search).get("redirectURL")).toBe("/tasks/1?a=b");
  await router.navigate("/sign-in");
  await screen.findByText("root");
  await router.navigate("/sign-out");
  await screen.findByText("sign-out");
});

it("redirects a signed-in member's activation link to the account settings", async () => {
  useSession.setState({ state: "signed-in", user: mira });
  history.replaceState(null, "", "/activate-account#0123456789abcdef");
  const router = open("/activate-account");
  await screen.findByText("account");
  expect(router.state.location.hash).toBe("#0123456789abcdef");
});

it("guards the routes that the specification names", () => {
  const [root] = routes;
  const groups = root?.children ?? [];
  const paths = (list: typeof groups): string[] =>
    list.flatMap((route) => [...(route.path ? [route.path] : []), ...paths(route.children ?? [])]);
  const guarded = (middleware: unknown) => paths(groups.filter((route) => route.middleware?.includes(middleware as never)));
  const guests = ["sign-in", "sign-up", "forgot-password", "reset-password", "activate-account", "confirmation-required"];
  expect(guarded(guestOnly).sort()).toEqual(guests.sort());
  expect(guarded(signedInOnly)).toEqual(
    expect.arrayContaining(["sign-out", "unlock-session", "test", "dashboard", "events", "team/list", "customers", "settings"]),
  );
  expect(paths(groups.filter((route) => !route.middleware))).toEqual(expect.arrayContaining(["home", "signed-in-redirect", "*"]));
});
