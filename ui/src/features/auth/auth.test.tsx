import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useSession } from "@/api/session";
import { mira, signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { SignInRoute } from "./sign-in-route";
import { SignOutPage } from "./sign-out-page";

const server = standInServer();

beforeEach(() => useSession.setState({ state: "guest", user: undefined }));

function open(path = "/sign-in?redirectURL=%2Ftasks%2F1%3Fa%3Db") {
  const app = renderApp(<SignInRoute />, { path });
  const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
  return { ...app, type, submit: () => fireEvent.click(screen.getByRole("button", { name: "Sign in" })) };
}

describe("signing in", () => {
  it("asks for missing fields, and focuses the first", () => {
    const { submit, type } = open();
    submit();
    expect(screen.getByText("Enter your email address.")).toBeVisible();
    expect(screen.getByText("Enter your password.")).toBeVisible();
    expect(screen.getByLabelText("Email")).toHaveFocus();
    type("Email", "nobody");
    expect(screen.getByText(/like name@company.com/)).toBeVisible();
    expect(server.calls).toEqual([]);
  });

  it("opens the requested page", async () => {
    server.on("POST /api/auth/sign-in", () => signedIn());
    const { submit, type, router } = open();
    type("Email", " mira@northwind.example ");
    type("Password", "secret");
    fireEvent.click(screen.getByLabelText("Remember me"));
    submit();
    await waitFor(() => expect(router.state.location.pathname + router.state.location.search).toBe("/tasks/1?a=b"));
    expect(server.calls[0]?.body).toEqual({ email: "mira@northwind.example", password: "secret", rememberMe: true });
    expect(useSession.getState().state).toBe("signed-in");
  });

  it("does not redirect to another origin", async () => {
    server.on("POST /api/auth/sign-in", () => signedIn());
    const { submit, type, router } = open("/sign-in?redirectURL=%2F%2Fevil.example");
    type("Email", "a@b.c");
    type("Password", "secret");
    submit();
    await waitFor(() => expect(router.state.location.pathname).toBe("/dashboard"));
  });

  it("shows the server's message and clears the password when sign-in fails", async () => {
    server.on(
      "POST /api/auth/sign-in",
      () =>
        new Answer(400, {
          error: { code: "invalid_credentials", message: "The email or password is incorrect. Check both and try again." },
        }),
    );
    const { submit, type } = open();
    type("Email", "mira@northwind.example");
    type("Password", "wrong");
    submit();
    expect(await screen.findByRole("alert")).toHaveTextContent("The email or password is incorrect. Check both and try again.");
    expect(screen.getByLabelText("Password")).toHaveValue("");
    expect(screen.getByLabelText("Email")).toHaveValue("mira@northwind.example");
  });

  it.each([
    ["1", "in 1 second."],
    ["8", "in 8 seconds."],
    ["119", "in 119 seconds."],
    ["841", "in 15 minutes."],
  ])("says how long to wait: %s", async (seconds, words) => {
    server.on(
      "POST /api/auth/sign-in",
      () => new Answer(429, { error: { code: "slow_down", message: "Slow down" } }, { "Retry-After": seconds }),
    );
    const { submit, type } = open();
    type("Email", "mira@northwind.example");
    type("Password", "x");
    submit();
    expect(await screen.findByRole("alert")).toHaveTextContent(words);
  });

  it("asks for the company when there are several", async () => {
    server.on("POST /api/auth/sign-in", ({ body }) =>
      (body as { company?: string }).company
        ? signedIn()
        : new Answer(409, { error: { code: "choose_company", message: "Choose", companies: [{ slug: "kontor", name: "Kontor Berlin" }] } }),
    );
    const { submit, type, router } = open();
    type("Email", "mira@northwind.example");
    type("Password", "secret");
    submit();
    fireEvent.click(await screen.findByRole("button", { name: "Kontor Berlin" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/1"));
    expect(server.calls[1]?.body).toMatchObject({ company: "kontor", password: "secret" });
  });

  it("shows the password when asked", () => {
    open();
    expect(screen.getByLabelText("Password")).toHaveAttribute("type", "password");
    fireEvent.click(screen.getByRole("button", { name: "Show password" }));
    expect(screen.getByLabelText("Password")).toHaveAttribute("type", "text");
  });
});

describe("signing out", () => {
  const replace = vi.fn();
  beforeEach(() => {
    sessionStorage.clear();
    localStorage.clear();
    replace.mockClear();
    vi.spyOn(location, "replace").mockImplementation(replace);
    vi.useFakeTimers();
    server.on("POST /api/auth/sign-out", () => new Answer(204));
    useSession.setState({ state: "signed-in", user: mira });
  });
  afterEach(() => {
    vi.useRealTimers();
    useSession.setState({ state: "unknown", user: undefined });
  });
  const later = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

  it("happens at once without unsent work, counts down five seconds and opens sign-in", async () => {
    renderApp(<SignOutPage />, { path: "/sign-out" });
    // The other tabs are asked first.
    await later(250);
    expect(screen.getByRole("timer")).toHaveTextContent("5 seconds");
    expect(server.sent("POST /api/auth/sign-out")).toHaveLength(1);
    for (const text of ["4 seconds", "3 seconds", "2 seconds", "1 second"]) {
      await later(1000);
      expect(screen.getByRole("timer")).toHaveTextContent(text);
    }
    await later(1000);
    expect(replace).toHaveBeenCalledWith("/sign-in");
  });

  it("asks first when there is unsent work, and removes it after confirmation", async () => {
    sessionStorage.setItem("atrium.draft.u1.chat.c1", '{"text":"Half a thought"}');
    renderApp(<SignOutPage />, { path: "/sign-out" });
    await later(250);
    expect(screen.getByRole("heading")).toHaveTextContent("unsent work");
    expect(server.sent("POST /api/auth/sign-out")).toHaveLength(0);
    expect(sessionStorage.getItem("atrium.draft.u1.chat.c1")).not.toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Delete and sign out" }));
    await later(1);
    expect(server.sent("POST /api/auth/sign-out")).toHaveLength(1);
    expect(sessionStorage.getItem("atrium.draft.u1.chat.c1")).toBeNull();
  });
});
