import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { caller, known } from "./api";
import { fill } from "./data";
import { people, startServer } from "./server";

declare module "vitest" {
  export interface ProvidedContext {
    /** The port that the server listens on. */
    port: string;
    /** Where the browser waits for commands. */
    browser: string;
    /** Records that the tests visit. */
    samples: Record<string, string>;
    /** By what the browser is known to everybody. */
    mark: string;
  }
}

/** Starts the server and the browser that all tests share. */
export default async function setup(project: TestProject) {
  const server = await startServer();
  const browser = await chromium.launchServer({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--force-color-profile=srgb",
    ],
  });
  const end = async () => {
    await browser.close();
    await server.stop();
  };
  project.provide("port", new URL(server.url).port);
  project.provide("browser", browser.wsEndpoint());
  try {
    project.provide("samples", await fill(server.url));
    for (const { email } of Object.values(people)) await greet(server.url, email);
    project.provide("mark", known.value);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Signs somebody in once, and takes away what they are told of that. */
async function greet(base: string, email: string) {
  const { call } = await caller(base, email);
  const told = await call<{ id: string; kind?: string }[]>("GET", "/api/common/notifications");
  const ids = told.filter(({ kind }) => kind === "security").map(({ id }) => id);
  if (ids.length > 0) await call("POST", "/api/common/notifications/batch", { ids, action: "remove" });
}
