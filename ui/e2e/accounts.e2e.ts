import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect } from "vitest";
import { caller } from "./api";
import { addDevice, confirmPassword, setUpTotp } from "./authenticator";
import { type Fresh, password, startFresh } from "./server";
import { gone, look, place, settled, shown, signIn, test } from "./stage";

/** Returns the link of the newest e-mail to an address, other than the given one. */
async function emailedLink(server: Fresh, email: string, but?: string): Promise<string> {
  await expect.poll(async () => (await server.mailTo(email))?.link ?? but).not.toBe(but);
  return (await server.mailTo(email))?.link ?? "";
}

async function enter(page: Page, values: Record<string, string>) {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
}

describe("from an empty installation", () => {
  let server: Fresh;
  const olga = "olga@vidal.example";
  beforeAll(async () => {
    server = await startFresh();
  });
  afterAll(() => server.stop());

  test("only the printed link creates the first company, and it signs in at once", async ({ visit }) => {
    const { page, open } = await visit({ origin: server.url });
    await open("/sign-up");
    await shown(page.getByRole("heading", { name: "Open the link the server printed" }));
    await look(page, "sign-up-without-link", "en");
    await page.setViewportSize({ width: 1440, height: 900 });
    // Forces a page load: the addresses differ only in the fragment.
    await page.goto("about:blank");
    await open(server.setUp);
    expect(place(page)).toBe("/sign-up");
    await look(page, "sign-up-first", "en");
    await enter(page, { "Company name": "Vidal e hijas", "Your name": "Olga Vidal", Email: olga, Password: password });
    await page.getByRole("button", { name: "Create company" }).click();
    await page.waitForURL("**/dashboard");
    await shown(page.getByRole("button", { name: "User menu" }));
    expect(await page.title()).toContain("Vidal e hijas");
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }));
    expect(kept).not.toContain(password);
  });

  test("emails show the company's logo to readers without a session", async ({ visit }) => {
    const owner = await visit({ origin: server.url, as: { email: olga } });
    owner.allow(/preloaded using link preload/);
    await owner.open("/settings/company");
    const field = owner.page.getByRole("group", { name: "Logo for light backgrounds" });
    const buffer = await owner.page.screenshot({ clip: { x: 0, y: 0, width: 160, height: 48 } });
    await field.locator("input[type=file]").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer });
    await shown(field.getByRole("img"));
    const form = owner.page.locator("form").filter({ has: field });
    await form.getByRole("button", { name: "Save changes" }).click();
    await shown(owner.page.getByText("Saved", { exact: true }));

    const reader = "rosa@vidal.example";
    await (await caller(server.url, olga)).call("POST", "/api/team/invitations", { emails: [reader], role: "member" });
    await emailedLink(server, reader);
    const { page } = await visit({ origin: server.url });
    await page.setContent((await server.mailTo(reader))?.html ?? "");
    const logo = page.getByRole("img", { name: "Vidal e hijas" });
    await expect.poll(() => logo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(160);
  });

  test("an invited colleague joins by the link, which works once", async ({ visit }) => {
    const api = await caller(server.url, olga);
    const pep = "pep@vidal.example";
    await api.call("POST", "/api/team/invitations", { emails: [pep], role: "member" });
    const link = await emailedLink(server, pep);
    const { page, open, allow } = await visit({ origin: server.url });
    await open(link);
    expect(place(page)).toBe("/activate-account");
    await shown(page.getByRole("heading", { name: "Welcome to Vidal e hijas" }));
    await look(page, "activate-account-invited", "en");
    await enter(page, { "Your name": "Pep Serra", "Choose a password": password });
    await page.getByRole("button", { name: "Join" }).click();
    await page.waitForURL("**/dashboard");
    await page.getByRole("button", { name: "User menu" }).click();
    await shown(page.getByText("Pep Serra").first());
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in");
    allow(/status of 400/);
    await page.goto("about:blank");
    await open(link);
    await shown(page.getByRole("heading", { name: "This link no longer works" }));
    await look(page, "activate-account-gone", "en");
  });

  test("resetting a forgotten password ends every session", async ({ visit }) => {
    const inside = await visit({ origin: server.url });
    await inside.open("/");
    await signIn(inside.page, olga);
    await inside.page.waitForURL("**/dashboard");

    const { page, open } = await visit({ origin: server.url });
    await open("/sign-in");
    await page.getByLabel("Email").fill(olga);
    await page.getByRole("link", { name: "Forgot password?" }).click();
    // The e-mail address is filled in already.
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe(olga);
    await page.getByRole("button", { name: "Request a link" }).click();
    await shown(page.getByText(`If there’s an account for ${olga}`));
    await look(page, "forgot-password-sent", "en");
    await open(await emailedLink(server, olga));
    const next = "another long enough one";
    await look(page, "reset-password-link", "en");
    await enter(page, { "New password": next, "Repeat password": next });
    await page.getByRole("button", { name: "Set password" }).click();
    await shown(page.getByRole("heading", { name: "Your password was changed" }));
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Password", { exact: true }).fill(next);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.waitForURL("**/dashboard");

    inside.allow(/status of 401/);
    await inside.page.reload();
    await shown(inside.page.getByLabel("Password", { exact: true }));

    // Revert it in the settings.
    await open("/settings/security");
    await enter(page, { "Current password": next, "New password": password });
    await page.getByRole("button", { name: "Change password" }).click();
    await shown(page.getByText("Your password was changed."));
  });

  test("the link sent to a new email address changes the address", async ({ visit }) => {
    const { page, open } = await visit({ origin: server.url });
    const fresh = "olga.vidal@vidal.example";
    await open("/");
    await signIn(page, olga);
    await page.waitForURL("**/dashboard");
    await open("/settings/account");
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await enter(page, { "New email": fresh, "Your password": password });
    await page.getByRole("button", { name: "Request a link" }).click();
    await shown(page.getByText(`The link for ${fresh} is kept on the server`));
    await page.goto(await emailedLink(server, fresh));
    await shown(page.getByText(`Your email address is now ${fresh}.`));
    expect(place(page)).toBe("/settings/account");
    await expect.poll(() => page.getByLabel("Email", { exact: true }).inputValue()).toBe(fresh);
  });
});

describe("with sign-up open to everyone", () => {
  let server: Fresh;
  beforeAll(async () => {
    server = await startFresh({ ATRIUM_SIGNUP: "open" });
  });
  afterAll(() => server.stop());

  test("confirming the email address signs the member in", async ({ visit }) => {
    const email = "carla@nova.example";
    const { page, open } = await visit({ origin: server.url });
    await open("/sign-in");
    await page.getByRole("link", { name: "Sign up" }).click();
    await enter(page, { "Company name": "Nova", "Your name": "Carla Nova", Email: email, Password: password });
    await page.getByRole("button", { name: "Create company" }).click();
    await page.waitForURL("**/confirmation-required");
    await shown(page.getByRole("heading", { name: "Ask the server administrator for the link" }));
    await look(page, "confirmation-required-sent", "en");
    const first = await emailedLink(server, email);
    await open("/sign-in");
    await page.goto("about:blank");
    await open(first);
    await shown(page.getByRole("heading", { name: "Confirm your email address" }));
    await look(page, "activate-account-confirm", "en");
    await page.setViewportSize({ width: 1440, height: 900 });
    await enter(page, { Password: password });
    await page.getByRole("button", { name: "Confirm and sign in" }).click();
    await page.waitForURL("**/dashboard");
    await page.getByRole("button", { name: "User menu" }).click();
    await shown(page.getByText("Carla Nova").first());
  });

  test("a company that requires a second factor blocks a member until one is set up", async ({ visit }) => {
    const email = "carla@nova.example";
    const carla = await caller(server.url, email);
    await carla.call("PATCH", "/api/settings/company", { secondFactor: { required: true, graceDays: 0 } });
    const { page, open, allow } = await visit({ origin: server.url });
    allow(/status of 403|requires two-step verification/);
    await open("/");
    await signIn(page, email);
    await page.waitForURL("**/secure-account?redirectURL=*");
    await open("/customers");
    await page.waitForURL(`**/secure-account?redirectURL=${encodeURIComponent("/customers")}`);
    await look(page, "secure-account", "en");
    await page.setViewportSize({ width: 1440, height: 900 });
    await setUpTotp(page);
    await page.getByRole("button", { name: "I’ve saved them" }).click();
    await page.getByRole("link", { name: "Continue to the application" }).click();
    await page.waitForURL("**/customers");
    await shown(page.getByRole("button", { name: "User menu" }));
  });
});

test("sets up a company of ten members through the screens, two of them with passkeys", { timeout: 240_000 }, async ({
  visit,
  onTestFinished,
}) => {
  const server = await startFresh();
  onTestFinished(server.stop);
  // Browsers support passkeys only for host names.
  const named = (link: string) => link.replace("127.0.0.1", "localhost");
  const origin = named(server.url);
  const owner = await visit({ origin });
  await owner.open(named(server.setUp));
  await enter(owner.page, { "Company name": "Talleres Ruiz", "Your name": "Inés Ruiz", Email: "ines@ruiz.example", Password: password });
  await owner.page.getByRole("button", { name: "Create company" }).click();
  await owner.page.waitForURL("**/dashboard");

  const names = ["Aitor", "Berta", "Celia", "Diego", "Elsa", "Fermín", "Gala", "Hugo", "Irene"];
  const address = (name: string) =>
    `${name
      .normalize("NFD")
      .replace(/[^a-z]/gi, "")
      .toLowerCase()}@ruiz.example`;
  await owner.open("/team/list");
  await owner.page.getByRole("button", { name: "Invite people" }).click();
  await owner.page.getByRole("textbox", { name: /Email addresses/ }).fill(`${names.map(address).join(", ")} `);
  await owner.page.getByRole("button", { name: "Create 9 invitations" }).click();
  await shown(owner.page.getByText("9 people invited."));
  await owner.page.getByRole("button", { name: "Done" }).click();

  for (const [at, name] of names.entries()) {
    const { page, open, context } = await visit({ origin });
    const kept = await addDevice(page);
    await open(named(await emailedLink(server, address(name))));
    await enter(page, { "Your name": `${name} Ruiz`, "Choose a password": password });
    await page.getByRole("button", { name: "Join" }).click();
    await page.waitForURL("**/dashboard");
    await shown(page.getByRole("button", { name: "User menu" }));
    if (at < 2) {
      await open("/settings/security");
      await page.getByRole("button", { name: "Add a passkey" }).click();
      await confirmPassword(page, "Continue");
      await gone(page.getByRole("dialog"));
      expect(await kept()).toBe(1);
    }
    await settled(page);
    await context.close();
  }

  await owner.open("/team/list");
  await expect.poll(() => owner.page.getByRole("row", { name: /Ruiz/ }).count()).toBe(10);
  expect(await owner.page.getByRole("row", { name: /Invited/ }).count()).toBe(0);
  for (const [name, factor] of [
    ["Aitor Ruiz", "Set up"],
    ["Berta Ruiz", "Set up"],
    ["Celia Ruiz", "Not set up"],
  ] as const) {
    await owner.page.getByRole("link", { name }).click();
    const card = owner.page.getByRole("dialog", { name });
    await shown(card.getByText(factor, { exact: true }));
    await owner.page.keyboard.press("Escape");
    await gone(card);
  }
  await look(owner.page, "team-of-ten", "en");
});
