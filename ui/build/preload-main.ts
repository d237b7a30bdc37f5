import type { Plugin } from "vite";

/**
 * Lists the chunks of `src/main.tsx` in the page's head: `src/boot.ts` imports them, but the browser should start
 * loading them before `src/boot.ts` has loaded.
 */
export function preloadMain(): Plugin {
  return {
    name: "atrium-preload-main",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_html, { bundle = {} }) {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk");
        const main = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith("/src/main.tsx"));
        if (!main) throw new Error("src/main.tsx has no chunk of its own");
        const boot = chunks.find(({ isEntry }) => isEntry);
        const names = [main.fileName, ...main.imports].filter((name) => name !== boot?.fileName && !boot?.imports.includes(name));
        return names.map((name) => ({
          tag: "link",
          attrs: { rel: "modulepreload", crossorigin: true, href: `/${name}` },
          injectTo: "head" as const,
        }));
      },
    },
  };
}
