import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import optimizeLocales from "@react-aria/optimize-locales-plugin";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { groups } from "./build/chunks.ts";
import { pdfViewer } from "./build/pdf-viewer.ts";
import "./build/test-environment.ts";
import { precompress } from "./build/precompress.ts";
import { preloadMain } from "./build/preload-main.ts";

const server = process.env.ATRIUM_SERVER ?? "http://127.0.0.1:8080";

/** Serves the shared catalogue as `/i18n/{lang}.json` during development; in production the server does. */
function catalogue(): Plugin {
  return {
    name: "atrium-catalogue",
    configureServer({ middlewares }) {
      middlewares.use("/i18n", (request, response, next) => {
        const name = /^\/([a-z]{2})\.json(\?.*)?$/.exec(request.url ?? "")?.[1];
        if (!name) return next();
        try {
          const text = readFileSync(new URL(`../i18n/${name}.json`, import.meta.url));
          response.setHeader("Content-Type", "application/json");
          response.end(text);
        } catch {
          next();
        }
      });
    },
  };
}

export default defineConfig({
  plugins: [
    react(),
    tailwindcss(),
    // The library contains the texts of 34 languages; the application has two.
    { ...optimizeLocales.vite({ locales: ["en-US", "es-ES"] }), enforce: "pre" },
    catalogue(),
    preloadMain(),
    pdfViewer(),
    precompress(),
  ],
  resolve: { alias: { "@": fileURLToPath(new URL("./src", import.meta.url)) } },
  build: {
    target: "es2022",
    // The content security policy has no `data:` for fonts and scripts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: { groups },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(["/api", "/media", "/health"].map((path) => [path, { target: server, ws: path === "/api" }])),
  },
  preview: {
    proxy: Object.fromEntries(["/api", "/media", "/health", "/i18n"].map((path) => [path, { target: server, ws: path === "/api" }])),
  },
  test: {
    environment: "happy-dom",
    environmentOptions: { happyDOM: { url: "http://atrium.example/" } },
    setupFiles: ["src/test/setup.ts"],
    restoreMocks: true,
    // Generous, because tests wait for conditions and the machine's speed proves nothing.
    testTimeout: 60_000,
    // Inlined, so that a test can start with its own instance.
    server: { deps: { inline: ["i18next", "react-i18next"] } },
  },
});
