import type { Page } from "playwright-core";
import { expect } from "vitest";
import { caller } from "./api";
import { addDevice, codeOf, confirmPassword, setUpTotp } from "./authenticator";
import { lane } from "./lane";
import { password, people } from "./server";
import { at, gone, look, settled, shown, signIn, test } from "./stage";

/** Browsers support passkeys only for host names, not for IP addresses. */
const named = () => `http://localhost:${lane().port}`;

async function newMember(name: string) {
  const ada = await caller(at(undefined), people.ada.email);
  const email = `${name}.${lane().port}@acme.example`;
  await ada.call("POST", "/api/team", { name: `${name} Factor`, email, role: "member", password });
  return { email };
}

async function signOut(page: Page) {
  await page.getByRole("button", { name: "User menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL("**/sign-in");
  await settled(page);
}

test("sets up an authenticator, signs in with its code and a recovery code, and turns it off", async ({ visit }) => {
  const member = await newMember("tess");
  const { page, open, allow } = await visit({ as: member });
  // The second step is requested by an error response, and a wrong code gives one.
  allow(/status of 4(00|09)/);
  await open("/settings/security");
  const { secret, codes } = await setUpTotp(page);
  await look(page, "security-recovery-codes", "en");
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  await shown(page.getByText("10 recovery codes left"));
  await signOut(page);

  await signIn(page, member.email);
  await shown(page.getByRole("heading", { name: "One more step" }));
  await look(page, "second-factor", "en");
  await page.getByLabel("Code", { exact: true }).fill("000000");
  await shown(page.getByRole("alert"));
  // The app's next code: the current one was used during setup.
  await page.getByLabel("Code", { exact: true }).fill(codeOf(secret, 1));
  await page.waitForURL("**/dashboard");
  await signOut(page);

  await signIn(page, member.email);
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[0] ?? "");
  await page.getByRole("button", { name: "Confirm" }).click();
  await page.waitForURL("**/dashboard");
  await open("/settings/security");
  await shown(page.getByText("9 recovery codes left"));
  await page.getByRole("button", { name: "Turn off" }).click();
  await confirmPassword(page, "Turn off");
  // The password alone is not enough.
  await shown(page.getByRole("heading", { name: "One more step" }));
  await page.getByRole("button", { name: "Use a recovery code" }).click();
  await page.getByLabel("Recovery code").fill(codes[1] ?? "");
  await page.getByRole("button", { name: "Confirm" }).click();
  await shown(page.getByText("Two-step verification is off."));
  await signOut(page);
  await signIn(page, member.email);
  await page.waitForURL("**/dashboard");
});

test("creates a passkey, signs in with it without a password, renames and removes it", async ({ visit }) => {
  const member = await newMember("pia");
  const { page, open, allow } = await visit({ as: member, origin: named() });
  // The passkey is requested by an error response.
  allow(/status of 409/);
  const kept = await addDevice(page);
  await open("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Blue laptop");
  await confirmPassword(page, "Continue");
  await shown(page.getByText("Blue laptop"));
  expect(await kept()).toBe(1);
  await signOut(page);

  // With the button, or automatically if the device answers the suggestion at once.
  const button = page.getByRole("button", { name: "Use a passkey" });
  await Promise.race([button.click().catch(() => undefined), page.waitForURL("**/dashboard")]);
  await page.waitForURL("**/dashboard");
  await open("/settings/security");
  await shown(page.getByText(/last used/));
  await page.getByRole("button", { name: "Rename Blue laptop" }).click();
  await page.getByRole("dialog").getByLabel("Name").fill("Old laptop");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByRole("button", { name: "Remove Old laptop" }).click();
  await confirmPassword(page, "Remove");
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await shown(page.getByText("You don’t have a passkey yet."));
});

test("a passkey works as the second step after the password", async ({ visit }) => {
  const member = await newMember("max");
  const { page, open, allow } = await visit({ as: member, origin: named() });
  allow(/status of 409/);
  await addDevice(page);
  await open("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await confirmPassword(page, "Continue");
  await gone(page.getByRole("dialog"));
  await setUpTotp(page, () => page.getByRole("button", { name: "Use a passkey" }).click());
  await page.getByRole("button", { name: "I’ve saved them" }).click();
  // Disables suggested passkeys, because this test covers the second step.
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false;
  });
  await page.goto("/sign-out");
  await page.waitForURL("**/sign-in");
  await settled(page);
  await page.reload();
  await settled(page);
  await signIn(page, member.email);
  await shown(page.getByRole("heading", { name: "One more step" }));
  await page.getByRole("button", { name: "Use a passkey" }).click();
  await page.waitForURL("**/dashboard");
});

test("recovery codes are copied, downloaded and printed", async ({ visit }) => {
  const member = await newMember("rosa");
  const { page, open, context } = await visit({ as: member });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.addInitScript(() => {
    const shared = window as unknown as { printed: number };
    shared.printed = 0;
    window.print = () => {
      shared.printed += 1;
    };
  });
  await open("/settings/security");
  const { codes } = await setUpTotp(page);
  const dialog = page.getByRole("dialog");
  const whole = `Recovery codes for ${member.email} at Acme Ltd\n\n${codes.join("\n")}\n`;

  await dialog.getByRole("button", { name: "Copy" }).click();
  await shown(dialog.getByRole("button", { name: "Copied" }));
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(whole);

  const [download] = await Promise.all([page.waitForEvent("download"), dialog.getByRole("button", { name: "Download" }).click()]);
  expect(download.suggestedFilename()).toBe("recovery-codes.txt");
  let written = "";
  for await (const part of await download.createReadStream()) written += part;
  expect(written).toBe(whole);

  await dialog.getByRole("button", { name: "Print" }).click();
  expect(await page.evaluate(() => (window as unknown as { printed: number }).printed)).toBe(1);
  // The printed page has the codes and the account, and nothing else.
  await page.emulateMedia({ media: "print" });
  const paper = page.locator("section.print-sheet");
  await shown(paper.getByText(codes[9] ?? "").first());
  expect(await paper.textContent()).toContain(member.email);
  expect(await dialog.isVisible()).toBe(false);
  await page.emulateMedia({ media: null });
  await dialog.getByRole("button", { name: "I’ve saved them" }).click();
});

test("signs in with a passkey suggested by the email field", async ({ visit }) => {
  const member = await newMember("sol");
  const { page, open } = await visit({ as: member, origin: named() });
  await addDevice(page);
  await open("/settings/security");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await confirmPassword(page, "Continue");
  await gone(page.getByRole("dialog"));
  const asked = page.waitForRequest((request) => request.url().includes("passkey") && request.method() === "POST");
  await signOut(page).catch(() => undefined);
  await asked;
  // The virtual device chooses the passkey: nothing is typed or pressed.
  await page.waitForURL("**/dashboard");
  await shown(page.getByRole("button", { name: "User menu" }));
});
