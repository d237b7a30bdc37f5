import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { fill } from "./data";
import { startServer } from "./server";

declare module "vitest" {
  export interface ProvidedContext {
    /** The port that the server listens on. */
    port: string;
    /** Where the browser waits for commands. */
    browser: string;
    /** Records that the tests visit. */
    samples: Record<string, string>;
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
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}
