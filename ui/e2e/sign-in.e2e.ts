import { expect } from "vitest";
import { password, people } from "./server";
import { at, gone, place, settled, shown, signIn, test } from "./stage";

test("shows an error for a wrong password, signs in with the right one, and stays so after a reload", async ({ visit }) => {
  const { page, open, allow } = await visit();
  allow(/status of 400/);
  await open("/");
  expect(await page.title()).toContain("Acme Ltd");
  await signIn(page, people.ada.email, "wrong password 123");
  const alert = page.locator("form").getByRole("alert");
  await shown(alert);
  expect(await alert.textContent()).toMatch(/password/i);
  expect(place(page)).toMatch(/^\/sign-in/);
  await expect.poll(() => page.getByLabel("Password", { exact: true }).inputValue()).toBe("");

  await signIn(page, people.ada.email);
  await page.waitForURL("**/dashboard");
  await shown(page.getByRole("button", { name: "User menu" }));
  await page.reload();
  await settled(page);
  expect(place(page)).toBe("/dashboard");
  await shown(page.getByRole("button", { name: "User menu" }));
});

test("shows errors for missing fields, and focuses the first", async ({ visit }) => {
  const { page, open } = await visit();
  await open("/sign-in");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await shown(page.getByText("Enter your email address."));
  await shown(page.getByText("Enter your password."));
  expect(await page.getByLabel("Email").evaluate((field) => field === document.activeElement)).toBe(true);
});

test("sign-in returns to the requested page", async ({ visit }) => {
  const { page, open } = await visit();
  await open("/test?a=1#part");
  expect(place(page)).toBe(`/sign-in?redirectURL=${encodeURIComponent("/test?a=1#part")}`);
  await signIn(page, people.ben.email);
  await page.waitForURL("**/test?a=1#part");
  await shown(page.getByRole("heading", { name: "Test" }));
});

for (const wanted of [
  "https://evil.example/",
  "//evil.example/",
  "/\\evil.example",
  "/%09/evil.example",
  "javascript:alert(1)",
  "/sign-out",
  "/\t/evil.example",
]) {
  test(`sign-in never leads elsewhere: ${JSON.stringify(wanted)}`, async ({ visit }) => {
    const { page, open } = await visit();
    await open(`/sign-in?redirectURL=${encodeURIComponent(wanted)}`);
    await signIn(page, people.ben.email);
    await shown(page.getByRole("button", { name: "User menu" }));
    expect(new URL(page.url()).origin).toBe(at("acme"));
    expect(place(page)).toMatch(/^\/dashboard/);
  });
}

test("redirects guests to sign-in and members away from it, and shows home to both", async ({ visit }) => {
  const guest = await visit();
  await guest.open("/customers");
  expect(place(guest.page)).toBe(`/sign-in?redirectURL=${encodeURIComponent("/customers")}`);
  await guest.open("/sign-out");
  expect(place(guest.page)).toBe("/sign-in");
  await guest.open("/home");
  await shown(guest.page.getByRole("heading", { name: "Welcome to Acme Ltd" }));

  const member = await visit({ as: people.ada });
  await member.open("/sign-in");
  expect(place(member.page)).toBe("/dashboard");
  await member.open("/no/such/page");
  expect(place(member.page)).toBe("/dashboard");
  await member.open("/home");
  await shown(member.page.getByRole("heading", { name: "Welcome to Acme Ltd" }));
});

test("sign-out counts down to sign-in, and going back shows sign-in", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: people.ada });
  await open("/test");
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await shown(page.getByRole("heading", { name: "You’ve signed out" }));
  expect(await page.getByRole("timer").textContent()).toMatch(/Going to the sign-in page in \d seconds?/);
  await page.waitForURL("**/sign-in");
  // The session is over on the server, too.
  allow(/status of 401/);
  expect(await page.evaluate(async () => (await fetch("/api/common/user")).status)).toBe(401);
  await page.goBack();
  await settled(page);
  await shown(page.getByLabel("Password", { exact: true }));
  await gone(page.getByRole("button", { name: "User menu" }));
});

test("a session ended elsewhere reloads the page and shows sign-in", async ({ visit }) => {
  const { page, open, allow } = await visit({ as: people.ben });
  await open("/test");
  await page.evaluate(() => Object.assign(window, { before: true }));
  const other = await visit({ as: people.ben });
  await other.open("/test");
  allow(/status of 401/);
  other.allow(/status of 401/);
  // By the API, as "sign out everywhere" does; with a new access token, because the page does not expose its own.
  const ended = await other.page.evaluate(async (known) => {
    const headers = { "Content-Type": "application/json" };
    const { accessToken } = await (await fetch("/api/auth/refresh", { method: "POST", headers, body: "{}" })).json();
    const bearer = { Authorization: `Bearer ${accessToken}` };
    const body = JSON.stringify({ password: known });
    return (await fetch("/api/auth/sessions/end-others", { method: "POST", headers: { ...headers, ...bearer }, body })).status;
  }, password);
  expect(ended).toBe(200);
  // The long-polling call ends with the session, without another request.
  await shown(page.getByRole("button", { name: "Sign in", exact: true }));
  expect(await page.evaluate(() => "before" in window)).toBe(false);
  expect(place(page)).toBe(`/sign-in?redirectURL=${encodeURIComponent("/test")}`);
});
