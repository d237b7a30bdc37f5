import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import "../build/test-environment.ts";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { alias: { "@": fileURLToPath(new URL("../src", import.meta.url)) } },
  test: {
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/setup.ts",
    environment: "node",
    // One process per lane, which loads the modules once.
    isolate: false,
    // Files that run in parallel have separate servers and share the browser.
    maxWorkers: Number(process.env.ATRIUM_E2E_LANES ?? 2),
    testTimeout: 90_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 90_000,
  },
});
