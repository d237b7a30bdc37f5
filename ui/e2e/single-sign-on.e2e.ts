import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { caller } from "./api";
import { environment, freePort } from "./environment";
import { people, startServer } from "./server";
import { gone, look, place, shown, test } from "./stage";

const client = { clientId: "atrium", clientSecret: "only for this test" };

/** Starts a provider that signs in this person; returns its address and a function to stop it. */
async function startProvider(origin: string, person: object) {
  const child = spawn("node", [fileURLToPath(new URL("provider.mjs", import.meta.url))], {
    stdio: ["pipe", "pipe", "ignore"],
    env: environment({
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret,
      REDIRECT_URI: `${origin}/api/auth/oidc/callback`,
      PERSON: JSON.stringify(person),
    }),
  });
  const [issuer] = (await once(createInterface(child.stdout), "line")) as [string];
  return { issuer, stop: () => child.kill() };
}

test("signs in through the company's provider, and stays signed in after a reload", async ({ visit, onTestFinished }) => {
  // The provider needs the redirect address before the server starts.
  const origin = `http://127.0.0.1:${await freePort()}`;
  const provider = await startProvider(origin, { email: people.ben.email, email_verified: true, name: people.ben.name });
  onTestFinished(() => void provider.stop());
  const server = await startServer({ ATRIUM_PUBLIC_URL: origin, ATRIUM_SIGN_IN_ISSUERS: provider.issuer }, new URL(origin).host);
  onTestFinished(() => server.stop());
  const owner = await caller(origin, people.ada.email);
  await owner.call("PUT", "/api/settings/single-sign-on", {
    issuer: provider.issuer,
    ...client,
    name: "Acme Identity",
    createMembers: false,
    role: "member",
    domains: [],
  });

  // The company's host differs from the redirect's host, so they share no browser storage.
  const wanted = "/customers?sort=-name";
  const { page, open } = await visit({ origin: origin.replace("127.0.0.1", "acme.localhost") });
  await open(wanted);
  await page.getByRole("link", { name: "Continue with Acme Identity" }).click();
  await page.waitForURL(origin + wanted);
  await shown(page.getByRole("heading", { name: "Customers" }));
  await shown(page.getByRole("button", { name: "User menu" }));

  await page.reload();
  await shown(page.getByRole("heading", { name: "Customers" }));
  expect(place(page)).toBe(wanted);
});

test("an owner turns single sign-on on and off by the form", async ({ visit, onTestFinished }) => {
  // The provider needs the redirect address before the server starts.
  const origin = `http://127.0.0.1:${await freePort()}`;
  const provider = await startProvider(origin, { email: people.ben.email, email_verified: true, name: people.ben.name });
  onTestFinished(() => void provider.stop());
  const server = await startServer({ ATRIUM_PUBLIC_URL: origin, ATRIUM_SIGN_IN_ISSUERS: provider.issuer }, new URL(origin).host);
  onTestFinished(() => server.stop());
  const host = origin.replace("127.0.0.1", "acme.localhost");
  const ada = await visit({ origin: host, as: people.ada });
  await ada.open("/settings/company");
  const form = ada.page.locator("form").filter({ has: ada.page.getByRole("heading", { name: "Single sign-on" }) });
  await shown(form.getByText(`${origin}/api/auth/oidc/callback`));
  await form.getByLabel(/^Name on the button/).fill("Acme Identity");
  await form.getByRole("button", { name: "Save changes" }).click();
  // A missing value is reported at its field.
  await expect.poll(() => form.getByLabel(/^Client ID/).getAttribute("aria-invalid")).toBe("true");
  await form.getByLabel(/^Client ID/).fill(client.clientId);
  await form.getByLabel(/^Client secret/).fill(client.clientSecret);
  await look(ada.page, "settings-single-sign-on", "en");
  await ada.page.setViewportSize({ width: 1440, height: 900 });
  await form.getByRole("button", { name: "Save changes" }).click();
  await shown(form.getByRole("button", { name: "Turn off" }));
  await expect.poll(() => form.getByLabel(/^Client secret/).inputValue()).toBe("");

  const ben = await visit({ origin: host });
  await ben.open("/tasks");
  await ben.page.getByRole("link", { name: "Continue with Acme Identity" }).click();
  await ben.page.waitForURL(`${origin}/tasks`);
  await shown(ben.page.getByRole("button", { name: "User menu" }));

  await form.getByRole("button", { name: "Turn off" }).click();
  await ada.page.getByRole("alertdialog").getByRole("button", { name: "Turn off" }).click();
  await shown(ada.page.getByText("Single sign-on is off."));
  const guest = await visit({ origin: host });
  await guest.open("/sign-in");
  await shown(guest.page.getByLabel("Email"));
  await gone(guest.page.getByRole("link", { name: /Continue with/ }));
});
