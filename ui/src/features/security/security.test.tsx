import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { Factors } from "@/api/schema";
import { accept } from "@/api/session";
import FactorBanner from "@/app/factor-banner";
import { EmailField } from "@/features/settings/email-field";
import { useCompanyInfo } from "@/shell/company-info";
import { signedIn } from "@/test/people";
import { renderApp } from "@/test/render";
import { Answer, standInServer } from "@/test/server";
import { daysLeft } from "./days-left";
import { EnrolPage } from "./enrol-page";
import { FactorCards } from "./factor-cards";
import { FactorPrompt } from "./factor-prompt";
import { inGroups } from "./groups";
import { PasswordCard } from "./password-card";
import { SessionsCard } from "./sessions-card";

const server = standInServer();
const none: Factors = { password: true, totp: false, recoveryCodesLeft: 0, passkeys: [], required: false };
const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label), { target: { value } });

const refused = (fields: Record<string, string>) => new Answer(400, { error: { code: "invalid_credentials", message: "x", fields } });

beforeEach(() => {
  accept(signedIn());
  useCompanyInfo.setState({ signIn: { sign_up: null, passkeys: true, sends_email: true, single_sign_on: null } });
});

describe("two-step verification", () => {
  it("is set up in three steps, and shows the recovery codes once", async () => {
    let factors = none;
    server.on("GET /api/auth/factors", () => factors);
    server.on("POST /api/auth/factors/totp", ({ body }) =>
      (body as { password: string }).password === "right"
        ? { secret: "JBSWY3DPEHPK3PXP", uri: "otpauth://totp/x", qr: { size: 21, path: "M0 0h1v1h-1z" } }
        : refused({ password: "That isn’t your password. Try again." }),
    );
    server.on("POST /api/auth/factors/totp/confirm", ({ body }) => {
      if ((body as { code: string }).code !== "123456") return new Answer(400, { error: { code: "invalid_code", message: "x" } });
      factors = { ...none, totp: true, recoveryCodesLeft: 2 };
      return { recoveryCodes: ["aaaa-bbbb", "cccc-dddd"] };
    });
    renderApp(<FactorCards />);
    fireEvent.click(await screen.findByRole("button", { name: "Set up" }));
    type("Your password", "wrong");
    press("Continue");
    expect(await screen.findByText("That isn’t your password. Try again.")).toBeVisible();
    type("Your password", "right");
    press("Continue");
    expect(await screen.findByRole("img", { name: /QR code/ })).toBeVisible();
    expect(screen.getByText("JBSW Y3DP EHPK 3PXP")).toBeVisible();
    type("Code from the app", "111111");
    press("Turn on");
    expect(await screen.findByText(/That code isn’t right/)).toBeVisible();
    type("Code from the app", "123 456");
    press("Turn on");
    const list = await screen.findByRole("list");
    expect(screen.getByText(/Keep these somewhere safe/)).toHaveFocus();
    // They are not shown again, so an accidental key must not close them.
    fireEvent.keyDown(screen.getByText(/Keep these somewhere safe/), { key: "Escape" });
    expect(screen.queryByRole("button", { name: "Close" })).toBeNull();
    expect(within(list).getAllByRole("listitem")).toHaveLength(2);
    press("I’ve saved them");
    expect(await screen.findByText("2 recovery codes left")).toBeVisible();
    expect(screen.queryByText("aaaa-bbbb")).toBeNull();
  });

  it("does not ask a member without password for one, and says to sign in again after too long", async () => {
    server.on("GET /api/auth/factors", () => ({ ...none, password: false }));
    server.on("POST /api/auth/factors/totp", () =>
      refused({ password: "You don’t have a password yet. Sign in again; you then have ten minutes to do this." }),
    );
    renderApp(
      <>
        <PasswordCard />
        <FactorCards />
      </>,
    );
    expect(await screen.findByRole("button", { name: "Set a password" })).toBeVisible();
    expect(screen.queryByLabelText("Current password")).toBeNull();
    press("Set up");
    expect(screen.queryByLabelText("Your password")).toBeNull();
    press("Continue");
    expect(await screen.findByText(/Sign in again; you then have ten minutes/)).toBeVisible();
    expect(server.sent("POST /api/auth/factors/totp")[0]?.body).toEqual({ password: "" });
  });

  it("is turned off with the password", async () => {
    server.on("GET /api/auth/factors", () => ({ ...none, totp: true, recoveryCodesLeft: 9 }));
    server.on("POST /api/auth/factors/totp/remove", () => new Answer(204));
    renderApp(<FactorCards />);
    fireEvent.click(await screen.findByRole("button", { name: "Turn off" }));
    type("Your password", "right");
    fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Turn off" }));
    await waitFor(() => expect(server.sent("POST /api/auth/factors/totp/remove")[0]?.body).toEqual({ password: "right" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  });
});

it("renames and removes passkeys", async () => {
  const passkey = { id: "p1", name: "Laptop", createdAt: "2026-11-01T10:00:00Z" };
  server.on("GET /api/auth/factors", () => ({ ...none, passkeys: [passkey] }));
  server.on("PATCH /api/auth/factors/passkeys/p1", () => ({ ...passkey, name: "Work laptop" }));
  server.on("POST /api/auth/factors/passkeys/p1/remove", () => new Answer(204));
  renderApp(<FactorCards />);
  fireEvent.click(await screen.findByRole("button", { name: "Rename Laptop" }));
  type("Name", "Work laptop");
  press("Save changes");
  await waitFor(() => expect(server.sent("PATCH /api/auth/factors/passkeys/p1")[0]?.body).toEqual({ name: "Work laptop" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  press("Remove Laptop");
  type("Your password", "right");
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(server.sent("POST /api/auth/factors/passkeys/p1/remove")[0]?.body).toEqual({ password: "right" }));
});

describe("a company that requires a second factor", () => {
  it("shows the days left", async () => {
    const requiredFrom = new Date(Date.now() + 3 * 86_400_000 - 60_000).toISOString();
    server.on("GET /api/auth/factors", () => ({ ...none, required: true, requiredFrom }));
    renderApp(<FactorCards />);
    expect(await screen.findByText(/within 3 days/)).toBeVisible();
  });

  it("shows no days once the deadline has passed", async () => {
    server.on("GET /api/auth/factors", () => ({ ...none, required: true, requiredFrom: "2026-11-01T10:00:00Z" }));
    renderApp(<FactorBanner />, { path: "/tasks" });
    expect(await screen.findByText(/to continue\./)).toBeVisible();
  });

  it("links to the application only once a second factor is set up", async () => {
    let factors: Factors = { ...none, required: true };
    server.on("GET /api/auth/factors", () => factors);
    const first = renderApp(<EnrolPage />, { path: "/secure-account?redirectURL=%2Ftasks" });
    expect(await screen.findByText(/to continue\./)).toBeVisible();
    expect(screen.queryByRole("link", { name: /Continue/ })).toBeNull();
    first.unmount();
    const { queryClient } = await import("@/api/query");
    queryClient.clear();
    factors = { ...factors, totp: true, recoveryCodesLeft: 10 };
    renderApp(<EnrolPage />, { path: "/secure-account?redirectURL=%2Ftasks" });
    expect(await screen.findByRole("link", { name: "Continue to the application" })).toHaveAttribute("href", "/tasks");
  });
});

it("changes the password, and shows a wrong current password at its field", async () => {
  server.on("GET /api/auth/factors", () => none);
  server.on("POST /api/common/user/password", () => refused({ currentPassword: "That isn’t your password. Try again." }));
  renderApp(<PasswordCard />);
  type("Current password", "wrong");
  type("New password", "a few plain words");
  press("Change password");
  expect(await screen.findByText("That isn’t your password. Try again.")).toBeVisible();
  server.on("POST /api/common/user/password", () => new Answer(204));
  press("Change password");
  await waitFor(() => expect(screen.getByLabelText("New password")).toHaveValue(""));
});

it("does not mark an untouched password form as invalid", async () => {
  server.on("GET /api/auth/factors", () => none);
  renderApp(<PasswordCard />);
  const field = await screen.findByLabelText("Current password");
  for (let at = 0; at < 5; at += 1) await userEvent.tab();
  expect(field).not.toBeInvalid();
  expect(screen.getByLabelText("New password")).not.toBeInvalid();
  await userEvent.type(screen.getByLabelText("New password"), "short");
  await userEvent.tab();
  await waitFor(() => expect(screen.getByLabelText("New password")).toBeInvalid());
});

it("ends one session, and all others at once", async () => {
  const session = {
    createdAt: "2026-11-01T10:00:00Z",
    lastSeenAt: "2026-11-20T10:00:00Z",
    device: "Firefox/1 Linux",
    address: "203.0.113.7",
  };
  server.on("GET /api/auth/sessions", () => ({
    items: [
      { ...session, id: "s1", current: true, secondFactor: true },
      { ...session, id: "s2", current: false, lockedAt: "2026-11-20T10:00:00Z" },
      { ...session, id: "s3", current: false },
    ],
  }));
  server.on("GET /api/auth/factors", () => none);
  server.on("POST /api/auth/sessions/end", () => new Answer(204));
  server.on("POST /api/auth/sessions/end-others", () => ({ ended: 2 }));
  renderApp(<SessionsCard />);
  expect(await screen.findByText("Locked")).toBeVisible();
  expect(screen.getByText("Two-step")).toBeVisible();
  fireEvent.click(screen.getAllByRole("button", { name: /^End session of/ })[0] as HTMLElement);
  type("Your password", "secret");
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "End session" }));
  await waitFor(() => expect(server.sent("POST /api/auth/sessions/end")[0]?.body).toEqual({ id: "s2", password: "secret" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  press("End all other sessions");
  type("Your password", "secret");
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "End all other sessions" }));
  await waitFor(() => expect(server.sent("POST /api/auth/sessions/end-others")).toHaveLength(1));
});

// A kind of fault: what only the holder of a second factor may do is done with the password alone.
it("asks for a second factor in one dialog, and sends the change again with it", async () => {
  server.on("GET /api/auth/factors", () => ({ ...none, totp: true, recoveryCodesLeft: 8 }));
  server.on("POST /api/auth/factors/totp/remove", ({ body }) => {
    const { code } = body as { code?: string };
    if (code === undefined)
      return new Answer(409, { error: { code: "second_factor_needed", message: "x", factors: ["totp", "recovery"] } });
    if (code !== "123456") return new Answer(400, { error: { code: "invalid_code", message: "That code isn’t right." } });
    return new Answer(204);
  });
  renderApp(
    <>
      <FactorCards />
      <FactorPrompt />
    </>,
  );
  const removes = () => server.sent("POST /api/auth/factors/totp/remove").map(({ body }) => body);
  const turnOff = async () => {
    fireEvent.click(await screen.findByRole("button", { name: "Turn off" }));
    type("Your password", "right");
    fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Turn off" }));
    await screen.findByLabelText("Code");
  };
  await turnOff();
  fireEvent.click(within(screen.getByRole("dialog", { name: "One more step" })).getByRole("button", { name: "Cancel" }));
  expect(await screen.findByRole("alert")).toBeVisible();
  expect(removes()).toEqual([{ password: "right" }]);
  fireEvent.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Turn off" }));
  await screen.findByLabelText("Code");
  type("Code", "000000");
  expect(await screen.findByText(/That code isn’t right/)).toBeVisible();
  type("Code", "123456");
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(removes().at(-1)).toEqual({ password: "right", code: "123456" });
});

it("counts the days left, and splits secrets into groups", () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  expect(daysLeft("2026-11-21T13:00:00Z", now)).toBe(1);
  expect(daysLeft("2026-11-20T13:00:00Z", now)).toBe(0);
  expect(daysLeft(undefined, now)).toBe(0);
  expect(inGroups("ABCDEFGHIJ")).toBe("ABCD EFGH IJ");
});

it("says when passkeys do not work at this address, and still lists existing ones", async () => {
  useCompanyInfo.setState({ signIn: { sign_up: null, passkeys: false, sends_email: true, single_sign_on: null } });
  vi.stubGlobal("PublicKeyCredential", class {});
  Object.defineProperty(navigator, "credentials", { value: {}, configurable: true });
  const passkey = { id: "p1", name: "Laptop", createdAt: "2026-11-01T10:00:00Z" };
  server.on("GET /api/auth/factors", () => ({ ...none, passkeys: [passkey] }));
  renderApp(<FactorCards />);
  expect(await screen.findByText("Laptop")).toBeVisible();
  expect(screen.getByText(/Passkeys don’t work at atrium\.example\./)).toBeVisible();
  expect(screen.queryByRole("button", { name: "Add a passkey" })).toBeNull();
});

describe("a member without password", () => {
  beforeEach(() => server.on("GET /api/auth/factors", () => ({ ...none, password: false })));

  it("is asked for none, and gets a single sign-on link when the sign-in was too long ago", async () => {
    useCompanyInfo.setState({
      signIn: { sign_up: null, passkeys: true, sends_email: true, single_sign_on: { name: "Acme ID", company: "acme" } },
    });
    server.on("POST /api/auth/factors/totp", () => refused({ password: "Sign in again: then you have ten minutes." }));
    renderApp(<FactorCards />, { path: "/settings/security" });
    fireEvent.click(await screen.findByRole("button", { name: "Set up" }));
    const dialog = within(screen.getByRole("dialog"));
    expect(dialog.getByText("You need an authenticator app on your phone.")).toBeVisible();
    expect(dialog.queryByLabelText("Your password")).toBeNull();
    expect(dialog.queryByRole("link")).toBeNull();
    press("Continue");
    expect(await dialog.findByRole("alert")).toHaveTextContent("Sign in again");
    expect(dialog.getByRole("link", { name: "Continue with Acme ID" })).toHaveAttribute(
      "href",
      "api/auth/oidc/start?company=acme&redirectURL=%2Fsettings%2Fsecurity",
    );
  });

  it("changes the email address without one", async () => {
    server.on("POST /api/common/user/email", () => new Answer(202, {}));
    renderApp(<EmailField email="nova@northwind.example" />);
    press("Change");
    await waitFor(() => expect(screen.queryByLabelText("Your password")).toBeNull());
    type("New email", "new@northwind.example");
    press("Send the link");
    expect(await screen.findByText(/Check new@northwind.example for a link from us/)).toBeVisible();
    expect(server.sent("POST /api/common/user/email")[0]?.body).toEqual({ email: "new@northwind.example", password: "" });
  });
});
