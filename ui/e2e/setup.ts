import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { caller, known } from "./api";
import { chromiumOptions } from "./browsers";
import { fill } from "./data";
import type { Lane } from "./lane";
import { people, type Server, startServer } from "./server";

/** Starts the browser that all tests share, and one server per test file that runs in parallel. */
export default async function setup(project: TestProject) {
  const browser = await chromium.launchServer(chromiumOptions(false));
  const servers: Server[] = [];
  const end = async () => {
    await browser.close();
    for (const { stop } of servers) await stop();
  };
  project.provide("browser", browser.wsEndpoint());
  try {
    const lanes: Lane[] = [];
    while (lanes.length < Number(project.config.maxWorkers)) {
      const server = await startServer();
      servers.push(server);
      lanes.push(await prepare(server.url));
    }
    project.provide("lanes", lanes);
  } catch (error) {
    await end();
    throw error;
  }
  return end;
}

/** Creates a server's records, and signs all members in once from the browser that the tests use. */
async function prepare(url: string): Promise<Lane> {
  const samples = await fill(url);
  for (const { email } of Object.values(people)) await greet(url, email);
  return { port: new URL(url).port, samples, mark: known(url).value };
}

/** Signs a member in once, and removes the notification that this causes. */
async function greet(base: string, email: string) {
  const { call } = await caller(base, email);
  const told = await call<{ id: string; kind?: string }[]>("GET", "/api/common/notifications");
  const ids = told.filter(({ kind }) => kind === "security").map(({ id }) => id);
  if (ids.length > 0) await call("POST", "/api/common/notifications/batch", { ids, action: "remove" });
}
