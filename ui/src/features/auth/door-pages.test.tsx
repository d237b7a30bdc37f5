import { act, fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { SignInOffer } from "@/api/schema";
import { useSession } from "@/api/session";
import { dropLinkToken } from "@/lib/link-token";
import { useCompanyInfo } from "@/shell/company-info";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { ActivateAccountPage } from "./activate-account-page";
import { ConfirmationRequiredPage } from "./confirmation-required-page";
import { ForgotPasswordPage } from "./forgot-password-page";
import { ResetPasswordPage } from "./reset-password-page";
import { SignInRoute } from "./sign-in-route";
import { SignUpPage } from "./sign-up-page";
import { UnlockSessionPage } from "./unlock-session-page";

const server = standInServer();
const token = "ab".repeat(64);
const type = (label: string | RegExp, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const refusal = (code: string, more = {}) => new Answer(code === "not_signed_in" ? 401 : 400, { error: { code, message: code, ...more } });

function offer(signIn: Partial<SignInOffer>) {
  useCompanyInfo.setState({ signIn: { sign_up: null, passkeys: false, sends_email: true, single_sign_on: null, ...signIn } });
}

function arrive(path: string) {
  history.replaceState(null, "", path);
}

beforeEach(() => {
  sessionStorage.clear();
  useSession.setState({ state: "guest", user: undefined, who: undefined });
  for (const path of ["/sign-up", "/activate-account", "/reset-password"]) {
    arrive(path);
    dropLinkToken();
  }
  arrive("/");
  offer({});
});

describe("signing up", () => {
  it("says that an invitation is needed when sign-up is off", () => {
    renderApp(<SignUpPage />, { path: "/sign-up" });
    expect(screen.getByRole("heading", { name: /need an invitation/ })).toBeVisible();
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("asks for the printed link when the first sign-up has no token", () => {
    offer({ sign_up: "first" });
    arrive("/sign-up");
    renderApp(<SignUpPage />, { path: "/sign-up" });
    expect(screen.getByRole("heading", { name: /link the server printed/ })).toBeVisible();
  });

  it("creates the first company with the token, and signs in at once", async () => {
    offer({ sign_up: "first" });
    arrive(`/sign-up#${token}`);
    server.on("POST /api/auth/sign-up", () => new Answer(202, { email: "ada@acme.example", next: "sign-in" }));
    server.on("POST /api/auth/sign-in", () => signedIn());
    const { router } = renderApp(<SignUpPage />, { path: "/sign-up" });
    expect(location.hash).toBe("");
    type("Company name", " Acme ");
    type("Your name", "Ada Moreno");
    type("Email", "ada@acme.example");
    type("Password", "short");
    press("Create company");
    expect(await screen.findByText(/between 12 and 128/)).toBeVisible();
    expect(server.calls).toEqual([]);
    type("Password", "a few plain words");
    press("Create company");
    await waitFor(() => expect(router.state.location.pathname).toBe("/dashboard"));
    expect(server.calls[0]?.body).toMatchObject({ company: "Acme", name: "Ada Moreno", token, locale: "en" });
    expect(server.calls[0]?.body).toMatchObject({ region: { dateFormat: "mdy", timeFormat: "12h", phoneCountry: "US" } });
    expect(server.calls[1]?.body).toEqual({ email: "ada@acme.example", password: "a few plain words" });
  });

  it("asks for no company name when joining, and opens the confirmation page", async () => {
    offer({ sign_up: "join" });
    server.on("POST /api/auth/sign-up", () => new Answer(202, { email: "ben@acme.example", next: "confirm" }));
    const { router } = renderApp(<SignUpPage />, { path: "/sign-up" });
    expect(screen.queryByLabelText("Company name")).toBeNull();
    type("Your name", "Ben");
    type("Email", "ben@acme.example");
    type("Password", "a few plain words");
    press("Join");
    await waitFor(() => expect(router.state.location.pathname).toBe("/confirmation-required"));
    expect(server.calls[0]?.body).not.toHaveProperty("company");
  });

  it("shows a server error at its field, and keeps typed text except the password", async () => {
    offer({ sign_up: "join" });
    server.on(
      "POST /api/auth/sign-up",
      () => new Answer(422, { error: { code: "invalid", message: "x", fields: { email: "Not your domain." } } }),
    );
    const first = renderApp(<SignUpPage />, { path: "/sign-up" });
    type("Your name", "Ben");
    type("Email", "ben@else.example");
    type("Password", "a few plain words");
    press("Join");
    expect(await screen.findByText("Not your domain.")).toBeVisible();
    first.unmount();
    renderApp(<SignUpPage />, { path: "/sign-up" });
    expect(screen.getByLabelText("Your name")).toHaveValue("Ben");
    expect(screen.getByLabelText("Password")).toHaveValue("");
    expect(JSON.stringify({ ...sessionStorage })).not.toContain("plain words");
  });
});

it("sends a confirmation again, then waits a minute", async () => {
  sessionStorage.setItem("atrium.draft.guest.door", JSON.stringify({ email: "ada@acme.example" }));
  server.on("POST /api/auth/resend-confirmation", () => new Answer(202, {}));
  renderApp(<ConfirmationRequiredPage />);
  expect(screen.getByText(/ada@acme.example/)).toBeVisible();
  press("Send it again");
  expect(await screen.findByText(/We’ll send it again\./)).toBeVisible();
  expect(screen.getByRole("button", { name: /in 60 seconds/ })).toBeDisabled();
});

it("asks for an unknown email address, and focuses its field", () => {
  renderApp(<ConfirmationRequiredPage />);
  press("Send it again");
  expect(screen.getByText("Enter your email address.")).toBeVisible();
  expect(screen.getByLabelText("Email")).toHaveFocus();
});

it("does not say whether an account exists when a password reset is requested", async () => {
  server.on("POST /api/auth/forgot-password", () => new Answer(202, {}));
  renderApp(<ForgotPasswordPage />);
  type("Email", "nobody@acme.example");
  press("Send the link");
  expect(await screen.findByText(/If there’s an account for nobody@acme.example/)).toBeVisible();
});

it("mentions no email after a reset request when the server sends none", async () => {
  offer({ sends_email: false });
  server.on("POST /api/auth/forgot-password", () => new Answer(202, {}));
  renderApp(<ForgotPasswordPage />);
  expect(screen.getByText(/This server doesn’t send email/)).toBeVisible();
  type("Email", "ada@acme.example");
  press("Request a link");
  expect(await screen.findByRole("heading", { name: "Ask the server administrator for the link" })).toBeVisible();
  expect(screen.queryByText(/inbox|by email|spam/)).toBeNull();
});

it("mentions no confirmation email when the server sends none", () => {
  offer({ sends_email: false });
  renderApp(<ConfirmationRequiredPage />);
  expect(screen.getByRole("heading", { name: "Ask the server administrator for the link" })).toBeVisible();
  expect(screen.queryByText(/inbox|by email|spam/)).toBeNull();
});

describe("a new password", () => {
  const link = { purpose: "reset", email: "ada@acme.example", name: "Ada", company: { name: "Acme" } };

  it("is set through the link when both entries match", async () => {
    arrive(`/reset-password#${token}`);
    server.on("POST /api/auth/link", () => link);
    server.on("POST /api/auth/reset-password", () => new Answer(204));
    renderApp(<ResetPasswordPage />);
    expect(await screen.findByText(/For ada@acme.example/)).toBeVisible();
    type("New password", "a few plain words");
    type("Repeat password", "a few plain word");
    press("Set password");
    expect(await screen.findByText("The passwords don’t match.")).toBeVisible();
    type("Repeat password", "a few plain words");
    press("Set password");
    expect(await screen.findByRole("heading", { name: "Your password was changed" })).toBeVisible();
    expect(server.sent("POST /api/auth/reset-password")[0]?.body).toEqual({ token, password: "a few plain words" });
  });

  it("needs a link made for a password reset", async () => {
    arrive(`/reset-password#${token}`);
    server.on("POST /api/auth/link", () => ({ ...link, purpose: "invite" }));
    renderApp(<ResetPasswordPage />);
    expect(await screen.findByRole("heading", { name: "This link no longer works" })).toBeVisible();
  });
});

describe("activating", () => {
  it("shows the company, and asks an invited person for name and password", async () => {
    arrive(`/activate-account#${token}`);
    server.on("POST /api/auth/link", () => ({ purpose: "invite", email: "ben@acme.example", name: "", company: { name: "Acme" } }));
    server.on("POST /api/auth/activate-account", () => signedIn());
    const { router } = renderApp(<ActivateAccountPage />, { path: "/activate-account" });
    expect(await screen.findByRole("heading", { name: "Welcome to Acme" })).toBeVisible();
    expect(screen.getByLabelText("Email")).toHaveAttribute("readonly");
    type("Your name", "Ben Okafor");
    type("Choose a password", "a few plain words");
    press("Join");
    await waitFor(() => expect(router.state.location.pathname).toBe("/dashboard"));
    expect(server.calls[1]?.body).toEqual({ token, name: "Ben Okafor", password: "a few plain words" });
  });

  it("confirms an email address with the password of the sign-up", async () => {
    arrive(`/activate-account#${token}`);
    server.on("POST /api/auth/link", () => ({
      purpose: "confirm",
      email: "ada@acme.example",
      name: "Ada Moreno",
      company: { name: "Acme" },
    }));
    server.on("POST /api/auth/activate-account", ({ body }) =>
      (body as { password?: string }).password === "a few plain words"
        ? signedIn()
        : new Answer(400, { error: { code: "invalid_credentials", message: "x", fields: { password: "That isn’t your password." } } }),
    );
    const { router } = renderApp(<ActivateAccountPage />, { path: "/activate-account" });
    expect(await screen.findByRole("heading", { name: "Confirm your email address" })).toBeVisible();
    expect(server.calls).toHaveLength(1);
    press("Confirm and sign in");
    expect(await screen.findByText("Enter your password.")).toBeVisible();
    type("Password", "another one");
    press("Confirm and sign in");
    expect(await screen.findByText("That isn’t your password.")).toBeVisible();
    type("Password", "a few plain words");
    press("Confirm and sign in");
    await waitFor(() => expect(router.state.location.pathname).toBe("/dashboard"));
  });

  it("says when a link is no longer valid", async () => {
    arrive(`/activate-account#${token}`);
    server.on("POST /api/auth/link", () => refusal("link_invalid"));
    renderApp(<ActivateAccountPage />);
    expect(await screen.findByRole("heading", { name: "This link no longer works" })).toBeVisible();
  });
});

describe("the second step", () => {
  const needed = new Answer(409, { error: { code: "second_factor_needed", message: "x", factors: ["totp", "recovery"] } });

  it("sends a complete code at once, asks again after a wrong one, and takes a recovery code", async () => {
    let tries = 0;
    server.on("POST /api/auth/sign-in", ({ body }) => {
      if (!(body as { code?: string }).code) return needed;
      tries += 1;
      return tries === 1 ? refusal("invalid_code") : signedIn();
    });
    const { router } = renderApp(<SignInRoute />, { path: "/sign-in?redirectURL=%2Ftasks" });
    type("Email", "ada@acme.example");
    type("Password", "secret");
    press("Sign in");
    const field = await screen.findByLabelText("Code");
    expect(field).toHaveAttribute("autocomplete", "one-time-code");
    expect(field).toHaveAttribute("inputmode", "numeric");
    type("Code", "123 456");
    expect(await screen.findByRole("alert")).toHaveTextContent("invalid_code");
    await waitFor(() => expect(screen.getByLabelText("Code")).toHaveValue(""));
    press("Use a recovery code");
    type("Recovery code", "abcd-efgh");
    press("Confirm");
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks"));
    expect(server.calls[1]?.body).toMatchObject({ email: "ada@acme.example", password: "secret", code: "123456" });
    expect(server.calls[2]?.body).toMatchObject({ code: "abcd-efgh" });
  });

  it("shows a specific error for a wrong recovery code, and none after switching the method", async () => {
    server.on("POST /api/auth/sign-in", ({ body }) => ((body as { code?: string }).code ? refusal("invalid_code") : needed));
    renderApp(<SignInRoute />, { path: "/sign-in" });
    type("Email", "ada@acme.example");
    type("Password", "secret");
    press("Sign in");
    await screen.findByLabelText("Code");
    type("Code", "123456");
    expect(await screen.findByRole("alert")).toHaveTextContent("invalid_code");
    press("Use a recovery code");
    expect(screen.queryByRole("alert")).toBeNull();
    type("Recovery code", "abcd-efgh");
    press("Confirm");
    expect(await screen.findByRole("alert")).toHaveTextContent("isn’t one of your recovery codes");
    press("Use a code from the app");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

describe("the lock screen", () => {
  const who = { name: "Mira Okafor", email: "mira@northwind.example" };
  beforeEach(() => useSession.setState({ state: "locked", user: undefined, who }));

  it("also offers to unlock by single sign-on", () => {
    offer({ single_sign_on: { name: "Acme ID", company: "acme" } });
    renderApp(<UnlockSessionPage />, { path: "/unlock-session?redirectURL=%2Ftasks" });
    const link = screen.getByRole("link", { name: "Continue with Acme ID" });
    expect(link.getAttribute("href")).toBe("api/auth/oidc/start?company=acme&redirectURL=%2Ftasks");
    expect(screen.getByText("Enter your password or continue with Acme ID to pick up where you left off.")).toBeVisible();
  });

  it("unlocks with the password, and returns to the previous page", async () => {
    server.on("POST /api/auth/unlock-session", () => signedIn());
    const { router } = renderApp(<UnlockSessionPage />, { path: "/unlock-session?redirectURL=%2Ftasks%2F1" });
    expect(screen.getByText("Mira Okafor")).toBeVisible();
    press("Unlock");
    expect(screen.getByText("Enter your password.")).toBeVisible();
    type("Password", "secret");
    press("Unlock");
    await waitFor(() => expect(router.state.location.pathname).toBe("/tasks/1"));
    expect(server.calls.map(({ body }) => body)).toEqual([{ password: "secret" }]);
  });

  it("shows the remaining attempts, and opens sign-in when the session is over", async () => {
    server.on("POST /api/auth/unlock-session", () => refusal("invalid_credentials", { attemptsLeft: 1 }));
    const { router } = renderApp(<UnlockSessionPage />, { path: "/unlock-session?redirectURL=%2Ftasks" });
    type("Password", "wrong");
    press("Unlock");
    expect(await screen.findByRole("alert")).toHaveTextContent("1 try left");
    expect(screen.getByLabelText("Password")).toHaveValue("");
    server.on("POST /api/auth/unlock-session", () => refusal("not_signed_in"));
    type("Password", "wrong");
    press("Unlock");
    await waitFor(() => expect(router.state.location.pathname).toBe("/sign-in"));
    const query = new URLSearchParams(router.state.location.search);
    expect([query.get("error"), query.get("redirectURL")]).toEqual(["locked_out", "/tasks"]);
    expect(useSession.getState().state).toBe("guest");
  });

  it("returns to the previous page when another tab unlocks", async () => {
    const { router } = renderApp(<UnlockSessionPage />, { path: "/unlock-session?redirectURL=%2Fevents" });
    act(() => useSession.setState({ state: "signed-in", who: undefined }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/events"));
  });
});

describe("sign-in options", () => {
  it("links to sign-up and single sign-on, and hides unavailable options", () => {
    offer({ sign_up: "company", single_sign_on: { name: "Acme ID", company: "acme" } });
    arrive("/sign-in?redirectURL=%2Ftasks");
    renderApp(<SignInRoute />, { path: "/sign-in?redirectURL=%2Ftasks" });
    expect(screen.getByRole("link", { name: "Sign up" })).toHaveAttribute("href", "sign-up");
    const link = screen.getByRole("link", { name: "Continue with Acme ID" });
    expect(link).toHaveAttribute("href", "api/auth/oidc/start?company=acme&redirectURL=%2Ftasks");
    expect(screen.queryByRole("button", { name: "Use a passkey" })).toBeNull();
  });

  it("shows the error from the address, and removes it from the address", () => {
    arrive("/sign-in?error=forbidden&redirectURL=%2Ftasks");
    renderApp(<SignInRoute />, { path: "/sign-in" });
    expect(screen.getByRole("alert")).toHaveTextContent(/no account here/);
    expect(location.search).toBe("?redirectURL=%2Ftasks");
  });

  it("signs in with a passkey, and shows no error when the prompt is cancelled", async () => {
    offer({ passkeys: true });
    const get = vi.fn().mockRejectedValueOnce(new DOMException("x", "NotAllowedError"));
    vi.stubGlobal("PublicKeyCredential", class {});
    Object.defineProperty(navigator, "credentials", { value: { get }, configurable: true });
    server.on("POST /api/auth/passkey/options", () => ({ challengeId: "c1", options: { publicKey: { challenge: "AQ" } } }));
    server.on("POST /api/auth/passkey/sign-in", () => signedIn());
    const { router } = renderApp(<SignInRoute />, { path: "/sign-in" });
    press("Use a passkey");
    await waitFor(() => expect(get).toHaveBeenCalledOnce());
    await waitFor(() => expect(screen.getByRole("button", { name: "Use a passkey" })).not.toHaveAttribute("aria-busy"));
    expect(screen.queryByRole("alert")).toBeNull();
    const bytes = new Uint8Array([1]).buffer;
    const response = { clientDataJSON: bytes, authenticatorData: bytes, signature: bytes, userHandle: null };
    get.mockResolvedValueOnce({ id: "AQ", rawId: bytes, type: "public-key", response, getClientExtensionResults: () => ({}) });
    press("Use a passkey");
    await waitFor(() => expect(router.state.location.pathname).toBe("/dashboard"));
    expect(server.sent("POST /api/auth/passkey/sign-in")[0]?.body).toMatchObject({ challengeId: "c1", credential: { id: "AQ" } });
  });
});
