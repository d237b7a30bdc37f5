import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

export default defineConfig({
  root: fileURLToPath(new URL("..", import.meta.url)),
  resolve: { alias: { "@": fileURLToPath(new URL("../src", import.meta.url)) } },
  test: {
    include: ["e2e/**/*.e2e.ts"],
    globalSetup: "e2e/setup.ts",
    environment: "node",
    // One server and one browser for all; what is done at the same time would only be in each other's way.
    fileParallelism: false,
    testTimeout: 90_000,
    expect: { poll: { timeout: 15_000 } },
    hookTimeout: 90_000,
  },
});
