import { createHmac } from "node:crypto";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { password } from "./server";
import { shown } from "./stage";

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** Seconds for which one code is valid. */
const step = 30;

function bytes(base32: string): Buffer {
  let bits = "";
  for (const letter of base32.replaceAll(/[\s=]/g, "")) bits += alphabet.indexOf(letter.toUpperCase()).toString(2).padStart(5, "0");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the code of an authenticator app for a secret (RFC 6238), `later` codes from now. */
export function codeOf(secret: string, later = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / step) + later));
  const mac = createHmac("sha1", bytes(secret)).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

/** Adds a virtual passkey device with user verification to a page; returns a function that counts its passkeys. */
export async function addDevice(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials.length;
}

/** Enters the password that a change of sign-in settings requires. */
export async function confirmPassword(page: Page, button: string) {
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Your password").fill(password);
  await dialog.getByRole("button", { name: button }).click();
}

/**
 * Sets up an authenticator app on the screen; returns its secret and the recovery codes. `prove` gives a second factor, if
 * there is one already.
 */
export async function setUpTotp(page: Page, prove?: () => Promise<void>) {
  await page.getByRole("button", { name: "Set up" }).click();
  await confirmPassword(page, "Continue");
  await prove?.();
  await shown(page.getByRole("img", { name: /QR code/ }));
  const secret = ((await page.getByRole("dialog").locator("p.font-mono").textContent()) ?? "").replaceAll(" ", "");
  await page.getByLabel("Code from the app").fill(codeOf(secret));
  await page.getByRole("button", { name: "Turn on" }).click();
  const list = page.getByRole("dialog").getByRole("listitem");
  await shown(list.first());
  const codes = await list.allTextContents();
  expect(codes).toHaveLength(10);
  return { secret, codes };
}
